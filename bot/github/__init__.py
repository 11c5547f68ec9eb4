"""Speaks to GitHub. Knows nothing of benchmarks; only commands import it."""
