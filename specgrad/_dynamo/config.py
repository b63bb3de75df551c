"""Settings of PyTorch's compiler: programs set what they like, and nothing depends on it, as nothing is compiled."""

suppress_errors = False
verbose = False
disable = False
cache_size_limit = recompile_limit = 8
accumulated_cache_size_limit = accumulated_recompile_limit = 256
capture_scalar_outputs = False
capture_dynamic_output_shape_ops = False
assume_static_by_default = True
automatic_dynamic_shapes = True
optimize_ddp = True
inline_inbuilt_nn_modules = True
