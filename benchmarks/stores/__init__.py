"""What `benchmarks.durable` measures: decisions that outlive the process, on SQLite and PostgreSQL."""
