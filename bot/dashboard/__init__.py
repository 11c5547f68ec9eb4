"""The dashboard: history → typed series → a static site."""
