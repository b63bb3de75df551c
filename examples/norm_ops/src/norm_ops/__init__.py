"""A norm of rows by row programs: see generated/REFERENCE.md. `register()` makes methods of Tensor of the ops."""

from .generated import *  # noqa: F403
from .generated import __all__ as __all__
