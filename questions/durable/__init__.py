"""Decisions that outlive the process: records in a store, with holders, deadlines and chains of escalation."""
