"""Messages in source code: fixed text, holes, format strings."""
