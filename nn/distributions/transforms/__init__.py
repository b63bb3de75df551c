"""Invertible functions of tensors with known log-determinants, under PyTorch's names."""

from . import composed, elementwise, joined, vectors
from .base import Transform
from .base import _InverseTransform as _InverseTransform
from .composed import *
from .elementwise import *
from .elementwise import _clipped_sigmoid as _clipped_sigmoid
from .joined import *
from .vectors import *

__all__ = ["Transform"]
__all__ += composed.__all__
__all__ += elementwise.__all__
__all__ += joined.__all__
__all__ += vectors.__all__
