"""Record files: finding, decompressing and parsing them."""
