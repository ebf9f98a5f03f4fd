"""Catalogues of messages: files that list texts instead of raising them."""
