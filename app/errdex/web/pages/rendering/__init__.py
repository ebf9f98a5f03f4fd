"""What templates need: code, prose and differences as HTML."""
