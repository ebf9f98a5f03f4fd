"""A record's message and texts: its holes, the pattern derived from it, filling them in."""
