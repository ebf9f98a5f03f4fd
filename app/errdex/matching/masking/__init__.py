"""What of a paste is private, and what of a message changes from run to run.

`find_private` finds what says whose machine or account it was: secrets, people, machines. They
are named blanks in everything that leaves a paste. `find_variable` finds, besides, what is
different each time: numbers, paths, quoted values. Without those, a message is the *template* by
which equal errors are known.
"""

from errdex.matching.masking.blanks import Blank, mask
from errdex.matching.masking.private import find_private, mask_private
from errdex.matching.masking.template import find_variable, hole_message, template_words

__all__ = [
    "Blank",
    "find_private",
    "find_variable",
    "hole_message",
    "mask",
    "mask_private",
    "template_words",
]
