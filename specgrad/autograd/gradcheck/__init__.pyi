"""PyTorch's `torch.autograd.gradcheck`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.gradcheck.case import GradcheckError as GradcheckError
from specgrad.runtime.extensions.gradcheck.gradcheck import gradcheck as gradcheck
from specgrad.runtime.extensions.gradcheck.gradcheck import gradgradcheck as gradgradcheck
