"""The contract of an extraction: schema, prompts, write-path mapping, fingerprints (ADR-0063)."""
