"""How an answer is written: one module for each format."""
