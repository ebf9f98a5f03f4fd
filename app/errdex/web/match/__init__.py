"""Matching over HTTP: bodies, streams, workers, and the pages that answer a paste."""
