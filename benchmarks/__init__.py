"""Benchmarks: each subject measured as a ratio against references that run beside it."""
