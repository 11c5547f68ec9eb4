"""An OpenAI-compatible server on loopback that answers well, or as badly as a test asks for."""
