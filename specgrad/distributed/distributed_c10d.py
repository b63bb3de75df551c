"""Where PyTorch keeps collectives and process groups."""

from ..runtime.distributed.world import get_default_group as _get_default_group  # noqa: F401
from . import *
from . import __all__ as __all__
