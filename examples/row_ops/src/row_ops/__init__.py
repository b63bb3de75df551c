"""Ops over rows: see generated/REFERENCE.md. `register()` makes methods of Tensor of them."""

from .generated import *  # noqa: F403
from .generated import __all__ as __all__
from .layers import RowNorm as RowNorm
