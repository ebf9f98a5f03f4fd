"""Python, read with the standard library's parser."""
