"""Activations, softmax and attention under PyTorch's module path; the code is one folder up."""

from ..activation import GELU, LogSigmoid, Sigmoid, SiLU, Tanh
from ..multihead_attention import MultiheadAttention
from ..prelu import PReLU
from ..rectifier import ELU, Hardtanh, LeakyReLU, ReLU, Softplus
from ..rectifier_variants import CELU, SELU, Mish, ReLU6, RReLU, Threshold
from ..shrinking import GLU, Hardshrink, Hardsigmoid, Hardswish, Softshrink, Softsign, Tanhshrink
from ..softmax import LogSoftmax, Softmax, Softmax2d, Softmin

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Mish",
    "MultiheadAttention",
    "PReLU",
    "RReLU",
    "ReLU",
    "ReLU6",
    "SELU",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softmax2d",
    "Softmin",
    "Softplus",
    "Softshrink",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "Threshold",
]
