"""PyTorch's `torch.autograd.forward_ad`, by names: written from `torch_names.py`."""

from specgrad.runtime.autograd.dual import UnpackedDualTensor as UnpackedDualTensor
from specgrad.runtime.autograd.dual import dual_level as dual_level
from specgrad.runtime.autograd.dual import enter_dual_level as enter_dual_level
from specgrad.runtime.autograd.dual import exit_dual_level as exit_dual_level
from specgrad.runtime.autograd.dual import make_dual as make_dual
from specgrad.runtime.autograd.dual import unpack_dual as unpack_dual
