"""Errdex for editors: a server of the Language Server Protocol (optional extra: lsp)."""
