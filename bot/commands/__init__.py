"""One file a verb: read, decide, write, print, exit code."""
