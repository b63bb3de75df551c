"""The activations with examples of their arguments, for the tests that run all functions and layers under vmap."""

from __future__ import annotations

from specgrad import nn
from tests.nn.vmap.cases import Case, reals

F = nn.functional

ACTIVATION_FUNCTIONS = {
    "celu": Case(lambda: lambda x: F.celu(x, 0.7), [reals(4)]),
    "celu_": Case(lambda: lambda x: F.celu_(x * 1), [reals(4)]),
    "glu": Case(lambda: F.glu, [reals(3, 4)]),
    "hardshrink": Case(lambda: F.hardshrink, [reals(4)]),
    "hardsigmoid": Case(lambda: F.hardsigmoid, [reals(4)]),
    "hardswish": Case(lambda: F.hardswish, [reals(4)]),
    "mish": Case(lambda: F.mish, [reals(4)]),
    "prelu": Case(lambda: F.prelu, [reals(2, 4), reals(4)]),
    "rrelu": Case(lambda: F.rrelu, [reals(4)]),
    "rrelu_": Case(lambda: lambda x: F.rrelu_(x * 1), [reals(4)]),
    "selu": Case(lambda: F.selu, [reals(4)]),
    "selu_": Case(lambda: lambda x: F.selu_(x * 1), [reals(4)]),
    "softshrink": Case(lambda: F.softshrink, [reals(4)]),
    "softsign": Case(lambda: F.softsign, [reals(4)]),
    "tanhshrink": Case(lambda: F.tanhshrink, [reals(4)]),
    "threshold": Case(lambda: lambda x: F.threshold(x, 0.1, 2.0), [reals(4)]),
    "threshold_": Case(lambda: lambda x: F.threshold_(x * 1, 0.1, 2.0), [reals(4)]),
}

ACTIVATION_LAYERS = {
    "CELU": Case(lambda: nn.CELU(0.5), [reals(4)]),
    "GLU": Case(lambda: nn.GLU(0), [reals(4, 2)]),
    "Hardshrink": Case(lambda: nn.Hardshrink(), [reals(4)]),
    "Hardsigmoid": Case(lambda: nn.Hardsigmoid(), [reals(4)]),
    "Hardswish": Case(lambda: nn.Hardswish(), [reals(4)]),
    "Mish": Case(lambda: nn.Mish(), [reals(4)]),
    "PReLU": Case(lambda: nn.PReLU(3), [reals(2, 3, 2)]),
    "RReLU": Case(lambda: nn.RReLU().eval(), [reals(4)]),
    "ReLU6": Case(lambda: nn.ReLU6(), [reals(4)]),
    "SELU": Case(lambda: nn.SELU(), [reals(4)]),
    "Softmax2d": Case(lambda: nn.Softmax2d(), [reals(2, 3, 2, 2)]),
    "Softmin": Case(lambda: nn.Softmin(dim=-1), [reals(4, 3)]),
    "Softshrink": Case(lambda: nn.Softshrink(), [reals(4)]),
    "Softsign": Case(lambda: nn.Softsign(), [reals(4)]),
    "Tanhshrink": Case(lambda: nn.Tanhshrink(), [reals(4)]),
    "Threshold": Case(lambda: nn.Threshold(0.1, 2.0), [reals(4)]),
}
