"""Where PyTorch keeps collectives and process groups."""

from ..runtime.pytorch.environment.process_groups import needs_group as _get_default_group  # noqa: F401
from . import *
from . import __all__ as __all__
