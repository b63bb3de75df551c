"""Convolutions, transposed and lazy ones."""

from ..utils import _pair as _pair  # programs import these from here
from ..utils import _reverse_repeat_tuple as _reverse_repeat_tuple
from ..utils import _single as _single
from ..utils import _triple as _triple
from .convolution import (
    Conv1d,
    Conv2d,
    Conv3d,
    ConvNd,
    ConvTranspose1d,
    ConvTranspose2d,
    ConvTranspose3d,
    _ConvolutionTranspose,
)
from .lazy import LazyConv1d, LazyConv2d, LazyConv3d, LazyConvTranspose1d, LazyConvTranspose2d, LazyConvTranspose3d

__all__ = [
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
]
_ConvNd, _ConvTransposeNd = (ConvNd, _ConvolutionTranspose)
