"""Checkpointing, data loading and tools under PyTorch's name, `torch.utils`; tools are loaded when first named."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from .. import later as _later
from . import checkpoint as checkpoint
from . import data as data

if _TYPE_CHECKING:
    from . import _pytree as _pytree
    from . import (
        benchmark,
        collect_env,
        cpp_extension,
        deterministic,
        dlpack,
        hooks,
        model_zoo,
        pytree,
        tensorboard,
        weak,
    )

__all__ = [
    "benchmark",
    "checkpoint",
    "collect_env",
    "cpp_extension",
    "data",
    "deterministic",
    "dlpack",
    "hooks",
    "model_zoo",
    "pytree",
    "swap_tensors",
    "tensorboard",
    "weak",
]

_PRIVATE = ("_contextlib", "_foreach_utils", "_python_dispatch", "_pytree", "_triton")

__getattr__ = _later.finder(__name__, (*_PRIVATE, "flop_counter", *__all__), {"swap_tensors": "runtime.tensor.swap"})
__dir__ = _later.listing(__name__, *__all__)
