"""Jacobians, Hessians and their products with vectors, of functions of tensors to tensors."""

from .hessian import hessian
from .jacobian import jacobian
from .products import jvp, vjp
from .second_order import hvp, vhp

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]
