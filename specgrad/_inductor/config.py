"""Settings of PyTorch's code generator: programs set what they like, and nothing depends on it."""

from types import SimpleNamespace

coordinate_descent_tuning = False
epilogue_fusion = True
fx_graph_cache = True
max_autotune = False
conv_1x1_as_mm = False
cpp_wrapper = False
force_fuse_int_mm_with_mul = False
use_mixed_mm = False
triton = SimpleNamespace(cudagraphs=False, unique_kernel_names=True)
cpp = SimpleNamespace(threads=-1)
