"""Benchmark bot for LLM memory extraction: evaluate, gate, publish, comment."""

__version__ = "0.1.0"
