"""What can be wrong with a source tree.

HarvestError           the tree cannot be harvested; the text says why and what to do
OSError
├── ObjectMissing      the repository does not have an object, as in a partial clone
├── ObjectTooLarge     reading it would take more memory than is given to it
└── ObjectDamaged      its bytes are not those of a git object
"""


class HarvestError(Exception):
    """The input cannot be harvested; the text says why and what to do."""


class ObjectMissing(OSError):
    """The repository does not have the object, as in a partial clone."""


class ObjectTooLarge(OSError):
    """Reading the object would take more memory than is given to it."""


class ObjectDamaged(OSError):
    """The object's bytes are not those of a git object."""
