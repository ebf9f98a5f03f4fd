"""How records, causes and search results are written: as text and as Markdown."""
