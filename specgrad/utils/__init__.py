"""Checkpointing, data loading and tools under PyTorch's name, `torch.utils`; tools are loaded when first named."""

import typing as _typing

from .. import later as _later
from .. import torch_modules as _torch_modules
from . import _pytree as _pytree
from . import benchmark, checkpoint, cpp_extension, data, deterministic, hooks, pytree, tensorboard, weak

if _typing.TYPE_CHECKING:
    from ..runtime.methods.swap import swap_tensors
    from . import collect_env, dlpack, model_zoo

__all__ = ["benchmark", "checkpoint", "collect_env", "cpp_extension", "data", "deterministic", "dlpack", "hooks"]
__all__ += ["model_zoo", "pytree", "swap_tensors", "tensorboard", "weak"]

_MODULES = ("collect_env", "dlpack", "model_zoo")

_torch_modules.attach(__name__)

if not _typing.TYPE_CHECKING:
    __getattr__ = _later.finder(__name__, _MODULES, {"swap_tensors": "runtime.methods.swap"})
__dir__ = _later.listing(__name__, *__all__)
