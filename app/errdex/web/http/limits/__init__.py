"""Bounds on what clients may use: connections, rate, memory."""
