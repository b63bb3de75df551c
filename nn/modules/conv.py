"""Convolutions under PyTorch's module path; the code is one folder up."""

from ..conv import Conv1d, Conv2d, Conv3d
from ..conv_base import ConvNd
from ..conv_transpose import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d, _ConvolutionTranspose
from ..lazy_conv import LazyConv1d, LazyConv2d, LazyConv3d
from ..lazy_conv_transpose import LazyConvTranspose1d, LazyConvTranspose2d, LazyConvTranspose3d

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

_ConvNd, _ConvTransposeNd = ConvNd, _ConvolutionTranspose
