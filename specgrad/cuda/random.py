"""Generators of devices under PyTorch's names; the code is in specgrad.runtime.cuda.api.random."""

from ..runtime.cuda.api.random import *
from ..runtime.cuda.api.random import __all__ as __all__
