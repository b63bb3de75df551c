"""PyTorch's `torch.utils.data._utils.collate`, by names: written from `torch_names.py`."""

from specgrad.nn.data.collate import collate as collate
from specgrad.nn.data.collate import collate_float_fn as collate_float_fn
from specgrad.nn.data.collate import collate_int_fn as collate_int_fn
from specgrad.nn.data.collate import collate_numpy_array_fn as collate_numpy_array_fn
from specgrad.nn.data.collate import collate_numpy_scalar_fn as collate_numpy_scalar_fn
from specgrad.nn.data.collate import collate_str_fn as collate_str_fn
from specgrad.nn.data.collate import collate_tensor_fn as collate_tensor_fn
from specgrad.nn.data.collate import default_collate as default_collate
from specgrad.nn.data.collate import default_collate_err_msg_format as default_collate_err_msg_format
from specgrad.nn.data.collate import default_collate_fn_map as default_collate_fn_map
from specgrad.nn.data.collate import default_convert as default_convert
from specgrad.nn.data.collate import np_str_obj_array_pattern as np_str_obj_array_pattern
