"""Rendered pages, cached until their content changes."""
