"""The web side: JSON in api.py, HTML in pages.py."""
