"""Ops of a program's own by the names that `library` had before."""

from .library import custom_op, impl, impl_abstract

__all__ = ["custom_op", "impl", "impl_abstract"]
