"""PyTorch's `torch.autograd.graph`, by names: written from `torch_names.py`."""

from specgrad.runtime.autograd.graph import GradientEdge as GradientEdge
from specgrad.runtime.autograd.graph import get_gradient_edge as get_gradient_edge
from specgrad.runtime.autograd.graph import increment_version as increment_version
from specgrad.runtime.autograd.leaf_hooks import register_multi_grad_hook as register_multi_grad_hook
from specgrad.runtime.autograd.node import Node as Node
from specgrad.runtime.autograd.saved_tensor_hooks import (
    allow_mutation_on_saved_tensors as allow_mutation_on_saved_tensors,
)
from specgrad.runtime.autograd.saved_tensor_hooks import disable_saved_tensors_hooks as disable_saved_tensors_hooks
from specgrad.runtime.autograd.saved_tensor_hooks import save_on_cpu as save_on_cpu
from specgrad.runtime.autograd.saved_tensor_hooks import saved_tensors_hooks as saved_tensors_hooks
