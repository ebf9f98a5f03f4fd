"""Answers for build servers, code review and chat: what an error means, at the line that raised it.

Each format is written from the same few texts (`short_texts.py`) and places (`checkout.py`).
Messages and records are untrusted: each writer says how its target is kept from reading them as
anything but text.
"""
