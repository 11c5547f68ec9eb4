"""The pull request comment (CONTRACTS section 8)."""
