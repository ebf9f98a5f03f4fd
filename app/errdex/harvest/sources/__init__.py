"""What is harvested: checkouts, installed packages, and which of their files."""
