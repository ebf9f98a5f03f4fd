"""Parsers of the errors that a language's runtime or compiler prints."""
