"""Nested tensors, under PyTorch's name; the code is in specgrad.nn.nested."""

from ..nn.nested.create import (
    as_nested_tensor,
    masked_select,
    narrow,
    nested_tensor,
    nested_tensor_from_jagged,
    to_padded_tensor,
)
from ..runtime.arguments import guard_module as _guard_module
from . import _internal

__all__ = [
    "_internal",
    "as_nested_tensor",
    "masked_select",
    "narrow",
    "nested_tensor",
    "nested_tensor_from_jagged",
    "to_padded_tensor",
]

_guard_module(__name__)
