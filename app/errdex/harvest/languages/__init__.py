"""One folder for each language that is harvested."""
