"""Making one batch of many samples under PyTorch's name; the code is in specgrad.nn.data."""

from ....nn.data.collate import default_collate, default_convert
from ....nn.data.collating import (
    collate,
    collate_float_fn,
    collate_int_fn,
    collate_numpy_array_fn,
    collate_numpy_scalar_fn,
    collate_str_fn,
    collate_tensor_fn,
    default_collate_err_msg_format,
    default_collate_fn_map,
    np_str_obj_array_pattern,
)
from ....runtime.arguments import guard_module as _guard_module

__all__ = [
    "collate",
    "collate_float_fn",
    "collate_int_fn",
    "collate_numpy_array_fn",
    "collate_numpy_scalar_fn",
    "collate_str_fn",
    "collate_tensor_fn",
    "default_collate",
    "default_collate_err_msg_format",
    "default_collate_fn_map",
    "default_convert",
    "np_str_obj_array_pattern",
]

_guard_module(__name__)
