"""Parsers of the errors that tools print."""
