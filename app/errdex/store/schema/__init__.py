"""What the SQL databases have in common: the tables, and their rows as values."""
