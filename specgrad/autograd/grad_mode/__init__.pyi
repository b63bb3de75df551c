"""PyTorch's `torch.autograd.grad_mode`, by names: written from `torch_names.py`."""

from specgrad.runtime.autograd.engine import set_multithreading_enabled as set_multithreading_enabled
from specgrad.runtime.tensor.grad_mode import DecoratorContextManager
from specgrad.runtime.tensor.grad_mode import enable_grad as enable_grad
from specgrad.runtime.tensor.grad_mode import inference_mode as inference_mode
from specgrad.runtime.tensor.grad_mode import no_grad as no_grad
from specgrad.runtime.tensor.grad_mode import set_grad_enabled as set_grad_enabled

_DecoratorContextManager = DecoratorContextManager
