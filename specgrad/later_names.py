"""Functions and classes of specgrad that few programs ask for, which are loaded when they are first named."""

# Homes of functions and classes, and their names; written as in `torch_names.py`.
LATER = """
nn.functional.torch_forms: alpha_dropout alpha_dropout_ batch_norm conv_tbc cosine_embedding_loss ctc_loss dropout
    dropout_ feature_alpha_dropout feature_alpha_dropout_ feature_dropout feature_dropout_ frobenius_norm
    grid_sampler_2d grid_sampler_3d group_norm hinge_embedding_loss instance_norm kl_div layer_norm
    margin_ranking_loss native_batch_norm native_channel_shuffle native_dropout native_group_norm native_layer_norm
    nuclear_norm poisson_nll_loss rms_norm triplet_margin_loss;
nn.functional.torch_layers: convolution embedding_renorm_ gru lstm rnn_relu rnn_tanh;
nn.functional.embedding: segment_reduce;
runtime.autograd.anomaly: set_anomaly_enabled;
+amp.grad_scaler: GradScaler;
nn.functional.max_pool_indices: max_pool1d_with_indices;
nn.quantized: ScriptModule;
+amp.autocast: autocast;
+amp.deprecated_names: get_autocast_cpu_dtype get_autocast_gpu_dtype is_autocast_cpu_enabled set_autocast_cpu_dtype
    set_autocast_cpu_enabled set_autocast_gpu_dtype;
+amp.settings: autocast_decrement_nesting autocast_increment_nesting clear_autocast_cache get_autocast_dtype
    is_autocast_cache_enabled is_autocast_enabled set_autocast_cache_enabled set_autocast_dtype set_autocast_enabled;
+torch_compat.compile: _check _check_index _check_is_size _check_not_implemented _check_tensor_all
    _check_tensor_all_with _check_type _check_value _check_with compile cond sym_float sym_int sym_ite sym_max sym_min
    sym_not sym_sqrt sym_sum SymBool SymFloat SymInt while_loop;
+torch_compat.custom_ops: ops;
+torch_compat.jit_script: AnyType BoolType ClassType DictType FloatType fork IntType ListType NoneType NumberType
    OptionalType ScriptFunction ScriptMethod StringType TensorType TupleType UnionType wait;
runtime.ops.creation.distributions: _dirichlet_grad _sample_dirichlet _standard_gamma _standard_gamma_grad;
+cuda_api.streams: Event Stream;
+torch_compat.unavailable: compiled_with_cxx11_abi get_device_module has_lapack has_mkl has_openmp has_spectral
    is_vulkan_available;
+torch_compat.functions: _assert_async _conj _convert_indices_from_coo_to_csr _convert_indices_from_csr_to_coo
    _neg_view _shape_as_tensor detach detach_ eig get_device is_distributed is_inference is_signed lstsq
    matrix_rank norm_except_dim range resize_as_ solve symeig typename;
+distributed.groups.futures: Future;
+serialization.torch_format: PyTorchFileReader;
+torch_compat.overrides_api: _assert;
+sparse.create: sparse_compressed_tensor sparse_coo_tensor sparse_csc_tensor sparse_csr_tensor;
+sparse.legacy: dsmm hsmm hspmm smm spmm sspaddmm;
runtime.tensor.memory_format: jagged;
storage: BFloat16Storage BoolStorage ByteStorage CharStorage ComplexDoubleStorage ComplexFloatStorage DoubleStorage
    FloatStorage from_file HalfStorage IntStorage is_storage LongStorage ShortStorage TypedStorage UntypedStorage
"""
