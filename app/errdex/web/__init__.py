"""The web: JSON in api/, HTML in pages/, pastes in match/, HTTP itself in http/."""
