"""PyTorch's `torch._inductor.config`, by names: written from `torch_names.py`."""

from typing import Any

coordinate_descent_tuning: bool
epilogue_fusion: bool
fx_graph_cache: bool
max_autotune: bool
conv_1x1_as_mm: bool
cpp_wrapper: bool
force_fuse_int_mm_with_mul: bool
use_mixed_mm: bool
triton: Any
cpp: Any
