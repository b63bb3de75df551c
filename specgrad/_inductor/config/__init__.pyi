"""PyTorch's `torch._inductor.config`, by names: written from `torch_names.py`."""

from typing import Any

epilogue_fusion: bool
fx_graph_cache: bool
conv_1x1_as_mm: bool
coordinate_descent_tuning: bool
cpp_wrapper: bool
max_autotune: bool
force_fuse_int_mm_with_mul: bool
use_mixed_mm: bool
triton: Any
cpp: Any
