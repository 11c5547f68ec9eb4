"""The published history and its archive (CONTRACTS section 5)."""
