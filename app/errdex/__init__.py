"""Errdex: a searchable knowledge base of errors."""
