"""Jacobians, Hessians and their products with vectors, of functions of tensors to tensors."""

from .jacobian import hessian, jacobian
from .products import hvp, jvp, vhp, vjp

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]
