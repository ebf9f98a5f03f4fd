"""Rendered pages that are kept until what they show changes."""
