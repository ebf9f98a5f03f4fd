"""Source tree to records. Not there yet."""
