"""Patterns: their regex, their literals, and the engine that finds them."""
