"""Ops of a program's own under PyTorch's name; the code is in specgrad.runtime.pytorch.compilers."""

from .runtime.arguments import guard_module as _guard_module
from .runtime.pytorch.compilers.custom_ops import (
    CustomOpDef,
    Library,
    custom_op,
    define,
    impl,
    register_autograd,
    register_fake,
    register_kernel,
    register_vmap,
)

impl_abstract = register_fake

__all__ = [
    "CustomOpDef",
    "Library",
    "custom_op",
    "define",
    "impl",
    "impl_abstract",
    "register_autograd",
    "register_fake",
    "register_kernel",
    "register_vmap",
]

_guard_module(__name__)
