"""Whoosh behind the full-text protocol."""
