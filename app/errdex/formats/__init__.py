"""How an answer is written: one value, one table, one module for each format."""
