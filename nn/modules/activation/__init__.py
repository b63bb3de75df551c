"""Activations, softmax and attention."""

from ...parameter import Parameter as Parameter  # programs import these from here
from ..linear import NonDynamicallyQuantizableLinear as NonDynamicallyQuantizableLinear
from ..module.base import Module as Module
from .multihead_attention import MultiheadAttention
from .rectifier import CELU, ELU, SELU, Hardtanh, LeakyReLU, Mish, PReLU, ReLU, ReLU6, RReLU, Softplus, Threshold
from .sigmoid import (
    GELU,
    GLU,
    Hardshrink,
    Hardsigmoid,
    Hardswish,
    LogSigmoid,
    LogSoftmax,
    Sigmoid,
    SiLU,
    Softmax,
    Softmax2d,
    Softmin,
    Softshrink,
    Softsign,
    Tanh,
    Tanhshrink,
)

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
