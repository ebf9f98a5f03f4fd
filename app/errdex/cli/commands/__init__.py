"""The commands of `errdex`, one module each."""
