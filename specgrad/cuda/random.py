"""Generators of devices under PyTorch's names; the code is in specgrad.runtime.cuda.api_random."""

from ..runtime.cuda.api_random import *
from ..runtime.cuda.api_random import __all__ as __all__
