"""Python's tracebacks."""
