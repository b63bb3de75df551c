"""Intel's MKL, which specgrad does not use itself."""

from ..runtime.settings import unavailable as is_available
from .switches import Verbose as verbose

VERBOSE_OFF = 0
VERBOSE_ON = 1

__all__ = ["VERBOSE_OFF", "VERBOSE_ON", "is_available", "verbose"]
