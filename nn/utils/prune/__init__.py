"""Pruning: a parameter is multiplied by a mask before each forward, and trained under its name with `_orig`."""

from ....runtime.methods.argument_guard import guard_module as _guard_module
from .functions import (
    custom_from_mask,
    global_unstructured,
    identity,
    is_pruned,
    l1_unstructured,
    ln_structured,
    random_structured,
    random_unstructured,
    remove,
)
from .method import BasePruningMethod, PruningContainer
from .methods import CustomFromMask, Identity, L1Unstructured, LnStructured, RandomStructured, RandomUnstructured

__all__ = [
    "BasePruningMethod",
    "CustomFromMask",
    "Identity",
    "L1Unstructured",
    "LnStructured",
    "PruningContainer",
    "RandomStructured",
    "RandomUnstructured",
    "custom_from_mask",
    "global_unstructured",
    "identity",
    "is_pruned",
    "l1_unstructured",
    "ln_structured",
    "random_structured",
    "random_unstructured",
    "remove",
]

_guard_module(__name__)
