"""The graph under PyTorch's names: nodes, edges, hooks on what is saved; the code is in specgrad.runtime.autograd."""

from ..runtime.autograd.node import Node
from ..runtime.autograd.saved_hooks import disable_saved_tensors_hooks, save_on_cpu, saved_tensors_hooks

__all__ = [
    "Node",
    "disable_saved_tensors_hooks",
    "save_on_cpu",
    "saved_tensors_hooks",
]
