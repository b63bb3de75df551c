"""Jacobians, Hessians and their products under PyTorch's name; the code is in specgrad.runtime.autograd.functional."""

from ..runtime.autograd.functional import hessian, hvp, jacobian, jvp, vhp, vjp
from ..runtime.autograd.functional.jacobian import _construct_standard_basis_for as _construct_standard_basis_for

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]
