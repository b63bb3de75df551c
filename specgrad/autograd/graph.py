"""The graph under PyTorch's names: nodes, edges, hooks on what is saved; the code is in specgrad.runtime.autograd."""

from ..runtime.autograd.graph import GradientEdge, get_gradient_edge, increment_version
from ..runtime.autograd.hooks.multi import register_multi_grad_hook
from ..runtime.autograd.node import Node
from ..runtime.autograd.saved.hooks import disable_saved_tensors_hooks, save_on_cpu, saved_tensors_hooks
from ..runtime.autograd.saved.mutation import allow_mutation_on_saved_tensors

__all__ = [
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
]
