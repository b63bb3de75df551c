"""Divergences of pairs of distributions: the registry, and functions for pairs in files by family."""

from . import across as across
from . import families as families
from .registry import _KL_MEMOIZE as _KL_MEMOIZE
from .registry import _KL_REGISTRY as _KL_REGISTRY
from .registry import _dispatch_kl as _dispatch_kl
from .registry import _infinite_like as _infinite_like
from .registry import _x_log_x as _x_log_x
from .registry import kl_divergence, register_kl

__all__ = ["kl_divergence", "register_kl"]
