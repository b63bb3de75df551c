"""Intel's oneDNN, which specgrad does not use: switches are kept."""

from ..runtime.settings import unavailable as is_available
from .switches import Verbose as verbose
from .switches import switching

VERBOSE_OFF = 0
VERBOSE_ON = 1
VERBOSE_ON_CREATION = 2
enabled = True
deterministic = False
allow_tf32 = True
fp32_precision = "none"
flags = switching(__name__, enabled=False, deterministic=False, allow_tf32=True, fp32_precision="none")

__all__ = ["VERBOSE_OFF", "VERBOSE_ON", "VERBOSE_ON_CREATION", "flags", "is_available", "verbose"]
