"""Function transforms: functions of functions, that compose with each other and with the graph."""

from .forward import hessian, jacfwd, jvp, linearize
from .reverse import grad, grad_and_value, jacrev, vjp

__all__ = ["grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "linearize", "vjp"]
