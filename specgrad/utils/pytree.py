"""Trees of containers under the public name that PyTorch gives `torch.utils._pytree`."""

from . import _pytree
from ._pytree import *

__all__ = [*_pytree.__all__]
