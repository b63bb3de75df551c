"""Activations, softmax and attention."""

from .multihead_attention import MultiheadAttention
from .rectifier import ELU, Hardtanh, LeakyReLU, PReLU, ReLU, Softplus
from .rectifier_variants import CELU, SELU, Mish, ReLU6, RReLU, Threshold
from .shrink import GLU, Hardshrink, Hardsigmoid, Hardswish, Softshrink, Softsign, Tanhshrink
from .sigmoid import GELU, LogSigmoid, Sigmoid, SiLU, Tanh
from .softmax import LogSoftmax, Softmax, Softmax2d, Softmin

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
