"""A repository's set-up: what is found in it, and what a new one starts with."""
