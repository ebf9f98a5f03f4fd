"""How well pastes are answered: the matcher scored on corpora (`python -m bench.quality`)."""
