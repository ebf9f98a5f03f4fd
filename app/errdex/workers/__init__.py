"""How worker processes are run, and survive Ctrl-C."""
