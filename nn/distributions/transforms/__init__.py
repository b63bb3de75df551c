"""Invertible functions of tensors with known log-determinants, under PyTorch's names."""

from . import cat_stack, composed, elementwise, vectors
from .base import Transform
from .base import _InverseTransform as _InverseTransform
from .cat_stack import *
from .composed import *
from .elementwise import *
from .elementwise import _clipped_sigmoid as _clipped_sigmoid
from .vectors import *

__all__ = ["Transform"]
__all__ += composed.__all__
__all__ += elementwise.__all__
__all__ += cat_stack.__all__
__all__ += vectors.__all__
