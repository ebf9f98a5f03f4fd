"""The full-text seam: its protocol, Whoosh behind it, an in-memory fake."""
