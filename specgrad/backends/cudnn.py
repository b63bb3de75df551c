"""cuDNN, which specgrad does not use: these switches may be set, and change nothing."""

from ..runtime.settings import unavailable as is_available

enabled = False
deterministic = False
benchmark = False
allow_tf32 = False

__all__ = ["allow_tf32", "benchmark", "deterministic", "enabled", "is_available"]
