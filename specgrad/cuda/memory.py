"""Memory of devices under PyTorch's names; the code is in specgrad.runtime.cuda.api.memory."""

from ..runtime.cuda.api.memory import *
from ..runtime.cuda.api.memory import __all__ as __all__
