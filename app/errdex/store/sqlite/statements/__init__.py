"""SQL statements: built, compiled and prepared."""
