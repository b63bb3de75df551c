"""PyTorch's `torch.autograd.gradcheck`, by names: written from `torch_names.py`."""

from specgrad.runtime.autograd.checking.gradcheck import gradcheck as gradcheck
from specgrad.runtime.autograd.checking.gradcheck import gradgradcheck as gradgradcheck
from specgrad.runtime.autograd.checking.report import GradcheckError as GradcheckError
