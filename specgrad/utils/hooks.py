"""Hooks under PyTorch's name; the code is in specgrad.runtime.autograd.hooks and specgrad.nn.modules.module."""

from ..nn.modules.module.backward_hooks import BackwardHook
from ..runtime.autograd.hooks.copying import unserializable_hook, warn_if_has_hooks
from ..runtime.autograd.hooks.hooks import RemovableHandle

__all__ = ["BackwardHook", "RemovableHandle", "unserializable_hook", "warn_if_has_hooks"]
