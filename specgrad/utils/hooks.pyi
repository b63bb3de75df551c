"""PyTorch's `torch.utils.hooks`, by names: written from `torch_names.py`."""

from specgrad.nn.modules.module.backward_hooks import BackwardHook as BackwardHook
from specgrad.runtime.autograd.hooks.copying import unserializable_hook as unserializable_hook
from specgrad.runtime.autograd.hooks.copying import warn_if_has_hooks as warn_if_has_hooks
from specgrad.runtime.autograd.hooks.hooks import RemovableHandle as RemovableHandle
