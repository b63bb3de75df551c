"""PyTorch's `torch._dynamo.config`, by names: written from `torch_names.py`."""

suppress_errors: bool
verbose: bool
disable: bool
cache_size_limit: int
recompile_limit: int
accumulated_cache_size_limit: int
accumulated_recompile_limit: int
capture_scalar_outputs: bool
capture_dynamic_output_shape_ops: bool
assume_static_by_default: bool
automatic_dynamic_shapes: bool
optimize_ddp: bool
inline_inbuilt_nn_modules: bool
