"""Jacobians, Hessians and their products under PyTorch's name; the code is in specgrad.runtime.autograd.functional."""

from ..runtime.autograd.functional import hessian, hvp, jacobian, jvp, vhp, vjp

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]
