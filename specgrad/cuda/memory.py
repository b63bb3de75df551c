"""Memory of devices under PyTorch's names; the code is in specgrad.runtime.cuda.api_memory."""

from ..runtime.cuda.api_memory import *
from ..runtime.cuda.api_memory import __all__ as __all__
