"""The regular expressions of patterns: RE2's syntax, parsed."""
