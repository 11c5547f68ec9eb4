"""`python -m bot` is `extraction-bot`."""

from bot.cli import entry_point

entry_point()
