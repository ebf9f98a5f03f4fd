"""The store in PostgreSQL: what holds the data; each host reads a copy. Start at primary.py."""
