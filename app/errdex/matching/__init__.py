"""A pure library: log text to events to matches. No web, no database."""
