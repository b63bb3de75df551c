"""The old name of `derivatives`, kept for packages written before."""

from .user_derivatives import derivatives as slopes

__all__ = ["slopes"]
