"""Where predictions come from."""
