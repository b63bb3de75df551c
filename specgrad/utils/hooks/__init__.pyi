"""PyTorch's `torch.utils.hooks`, by names: written from `torch_names.py`."""

from specgrad.nn.modules.module.backward_hooks import BackwardHook as BackwardHook
from specgrad.runtime.autograd.hooks import RemovableHandle as RemovableHandle
from specgrad.runtime.autograd.hooks import unserializable_hook as unserializable_hook
from specgrad.runtime.autograd.hooks import warn_if_has_hooks as warn_if_has_hooks
