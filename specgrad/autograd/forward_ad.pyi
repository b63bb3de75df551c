"""PyTorch's `torch.autograd.forward_ad`, by names: written from `torch_names.py`."""

from specgrad.runtime.autograd.forward.dual import UnpackedDualTensor as UnpackedDualTensor
from specgrad.runtime.autograd.forward.dual import dual_level as dual_level
from specgrad.runtime.autograd.forward.dual import enter_dual_level as enter_dual_level
from specgrad.runtime.autograd.forward.dual import exit_dual_level as exit_dual_level
from specgrad.runtime.autograd.forward.dual import make_dual as make_dual
from specgrad.runtime.autograd.forward.dual import unpack_dual as unpack_dual
