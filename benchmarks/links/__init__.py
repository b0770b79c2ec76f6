"""What `benchmarks.wire` measures: links between processes, over loopback."""
