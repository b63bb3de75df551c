"""NNPACK, which specgrad does not use: its switch is kept."""

from ..runtime.settings import unavailable as is_available
from .switches import switching

enabled = True
flags = switching(__name__, enabled=False)

__all__ = ["flags", "is_available"]
