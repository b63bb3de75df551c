"""PyTorch's modules that hold only names of others: what each offers, and where that is.

A line of the table is a module, `=`, its homes, and behind each home the names that it gives: `name`, or
`name=name_there`. Homes are modules of specgrad (`+` is `runtime.extensions.`), but for those of Python
(`python.typing`). `home: *` offers all that the home has, `home: find()` whatever its function `find` answers, and
`ops.fft_*: rfft` is `ops: rfft=fft_rfft`; `a.{b,c}` are the modules a.b and a.c. What is not here is in
`unavailable.py`. `torch_modules.py` makes the modules, and `python -m codegen` writes beside this file what type
checkers read.
"""

import re
from collections.abc import Iterator

_TABLE = """
_VF = : *
__config__ = +torch_compat.config: parallel_info show
__future__ = nn.modules.module.convert: get_overwrite_module_params_on_conversion get_swap_module_params_on_conversion
    set_overwrite_module_params_on_conversion set_swap_module_params_on_conversion
_custom_ops = library: custom_op impl impl_abstract
_dynamo = +torch_compat.compile: allow_in_graph optimize optimize_assert=optimize set_stance substitute_in_graph
_dynamo._trace_wrapped_higher_order_op = python.contextlib: TransformGetItemToIndex=nullcontext
_dynamo.exc = +torch_compat.compile: BackendCompilerFailed TorchDynamoException Unsupported
_dynamo.testing = +torch_compat.compile: CompileCounter
_higher_order_ops = _higher_order_ops.associative_scan: associative_scan; +torch_compat.compile: cond while_loop
_higher_order_ops.associative_scan = +torch_compat.associative_scan: associative_scan
_inductor.exc = +torch_compat.compile: CppCompileError InductorError
_jit_internal = python.typing: Any Dict Final List Optional Tuple Union; +torch_compat.jit_script: BroadcastingList1
    BroadcastingList2 BroadcastingList3 boolean_dispatch
_lowrank = runtime.ops.numeric.low_rank: pca_lowrank svd_lowrank *
_subclasses = _subclasses.fake_tensor: FakeTensor
_tensor = generated.tensor: Tensor
_tensor_str = runtime.methods.printing: _add_suffixes=with_suffixes _str=to_repr _tensor_str=numbers PRINT_OPTS
    set_printoptions
_vmap_internals = +vmap: *
accelerator = +cuda_api.accelerator: current_device_idx current_device_index current_stream device_index empty_cache
    empty_host_cache get_memory_info max_memory_allocated max_memory_reserved memory_allocated memory_reserved
    memory_stats reset_accumulated_memory_stats reset_peak_memory_stats set_device_idx set_device_index set_stream
    synchronize; runtime.device.device: current_accelerator device_count=cuda_device_count is_available=cuda_available
amp = +amp.autocast: autocast custom_bwd custom_fwd; +amp.grad_scaler: GradScaler; +amp.state: is_autocast_available
amp.autocast_mode = +amp.autocast: autocast autocast_decorator custom_bwd custom_fwd; +amp.state:
    is_autocast_available
amp.grad_scaler = +amp.grad_scaler: GradScaler OptState
ao.quantization = nn.quantized: DeQuantStub FakeQuantizeBase fuse_modules ObserverBase QuantStub QuantWrapper
autograd.anomaly_mode = runtime.autograd: detect_anomaly set_detect_anomaly
autograd.forward_ad = runtime.autograd.dual: dual_level enter_dual_level exit_dual_level make_dual unpack_dual
    UnpackedDualTensor
autograd.function = runtime.autograd.function_context: FunctionCtx; runtime.autograd.function: Function
    InplaceFunction once_differentiable; runtime.autograd.function_node: BackwardCFunction=FunctionNode
autograd.functional = +transforms.jacobian: hessian jacobian _construct_standard_basis_for; +transforms.products: hvp
    jvp vhp vjp; +transforms.structure: _as_tuple _grad_postprocess _tuple_postprocess
autograd.grad_mode = runtime.autograd.engine: set_multithreading_enabled; runtime.tensor.grad_mode:
    _DecoratorContextManager=DecoratorContextManager enable_grad inference_mode no_grad set_grad_enabled
autograd.gradcheck = +gradcheck.gradcheck: gradcheck gradgradcheck; +gradcheck.case: GradcheckError
autograd.graph = runtime.autograd.graph: get_gradient_edge GradientEdge increment_version;
    runtime.autograd.leaf_hooks: register_multi_grad_hook; runtime.autograd.node: Node;
    runtime.autograd.saved_tensor_hooks: disable_saved_tensors_hooks save_on_cpu saved_tensors_hooks
    allow_mutation_on_saved_tensors
autograd.profiler = +profiler.collect: emit_itt emit_nvtx; +profiler.event_list: EventList; +profiler.events:
    FunctionEvent FunctionEventAvg; +profiler.profile: profile=legacy_profile; +profiler.named_ranges: record_function
autograd.profiler_util = +profiler.events: FunctionEvent FunctionEventAvg *
autograd.variable = +torch_compat.functions: Variable
backends.cpu = +torch_compat.config: get_cpu_capability
backends.mha = backends.switches: get_fastpath_enabled set_fastpath_enabled
backends.miopen = backends.switches: flags=miopen_flags
backends.mkl = backends.switches: verbose=Verbose
backends.mkldnn = backends.switches: flags=mkldnn_flags verbose=Verbose
backends.nnpack = backends.switches: flags=nnpack_flags
compiler = +torch_compat.compile: allow_in_graph compile set_stance substitute_in_graph
cpu = +torch_compat.cpu_streams: current_stream Event Stream stream StreamContext; runtime.tensor.memory: empty_cache
cpu.amp = +amp.deprecated_names: autocast=CpuAutocast GradScaler=CpuGradScaler
cpu.amp.autocast_mode = +amp.deprecated_names: autocast=CpuAutocast
cpu.amp.grad_scaler = +amp.deprecated_names: GradScaler=CpuGradScaler
cuda.amp = cuda.amp.common: amp_definitely_not_available; +amp.deprecated_names: autocast=CudaAutocast
    custom_bwd=cuda_custom_bwd custom_fwd=cuda_custom_fwd GradScaler=CudaGradScaler
cuda.amp.autocast_mode = +amp.deprecated_names: autocast=CudaAutocast custom_bwd=cuda_custom_bwd
    custom_fwd=cuda_custom_fwd
cuda.amp.common = +cuda_api.devices: amp_definitely_not_available
cuda.amp.grad_scaler = +amp.grad_scaler: OptState; +amp.deprecated_names: GradScaler=CudaGradScaler
cuda.graphs = +cuda_api.graphs: *
cuda.memory = +cuda_api.memory: *
cuda.nvtx = +cuda_api.nvtx: *
cuda.random = +cuda_api.generator: *
cuda.sparse = +sparse.legacy: cuda_named()
cuda.streams = +cuda_api.streams: Event ExternalStream Stream
distributed = +distributed.all_to_all: all_gather all_gather_coalesced all_gather_into_tensor all_to_all
    all_to_all_single gather reduce_scatter reduce_scatter_tensor scatter; +distributed.collectives: all_reduce
    all_reduce_coalesced barrier broadcast monitored_barrier reduce; +distributed.groups.errors: DistBackendError
    DistError DistNetworkError DistStoreError QueueEmptyError; +distributed.groups.process_group: ProcessGroup;
    +distributed.groups.reduce_op: _make_nccl_premul_sum=premul_sum ReduceOp; +distributed.groups.work: Work;
    +distributed.messages: batch_isend_irecv irecv isend P2POp recv send; +distributed.objects: all_gather_object
    broadcast_object_list gather_object recv_object_list scatter_object_list send_object_list; +distributed.session:
    Backend is_available is_backend_available is_gloo_available is_mpi_available is_nccl_available
    is_torchelastic_launched; +distributed.stores.file_store: FileStore; +distributed.stores.hash_store: HashStore
    PrefixStore; +distributed.stores.store: Store; +distributed.stores.tcp_store: TCPStore; +distributed.world:
    default_pg_timeout destroy_process_group get_backend get_global_rank get_group_rank get_node_local_rank
    get_process_group_ranks get_rank get_world_size group=GroupMember GroupMember init_process_group is_initialized
    new_group
distributed._composable = distributed._composable.fsdp: fully_shard
distributed._composable.fsdp = distributed.fsdp: CPUOffloadPolicy FSDPModule fully_shard MixedPrecisionPolicy
    OffloadPolicy
{distributed._tensor,distributed.tensor,distributed.tensor.placement_types} = +torch_compat.unavailable: Partial
    Placement Replicate Shard
distributed.algorithms.join = +torch_compat.unavailable: Joinable JoinHook
distributed.checkpoint = +distributed.checkpoint.errors: CheckpointException; +distributed.checkpoint.load: load;
    +distributed.checkpoint.metadata: BytesStorageMetadata ChunkStorageMetadata Metadata TensorStorageMetadata;
    +distributed.checkpoint.filesystem: FileSystemReader FileSystemWriter; +distributed.checkpoint.save: save;
    +distributed.checkpoint.flattening: Stateful
distributed.checkpoint.api = +distributed.checkpoint.errors: CheckpointException
distributed.checkpoint.filesystem = +distributed.checkpoint.filesystem: FileSystemReader FileSystemWriter
distributed.checkpoint.format_utils = +distributed.checkpoint.load: dcp_to_torch_save torch_save_to_dcp
distributed.checkpoint.metadata = +distributed.checkpoint.metadata: BytesStorageMetadata ChunkStorageMetadata Metadata
    TensorProperties TensorStorageMetadata
distributed.checkpoint.state_dict = nn.parallel.state_dict.model: get_model_state_dict get_state_dict
    set_model_state_dict set_state_dict; nn.parallel.state_dict.optimizer: get_optimizer_state_dict
    set_optimizer_state_dict; nn.parallel.state_dict.options: StateDictOptions
distributed.checkpoint.stateful = +distributed.checkpoint.flattening: Stateful StatefulT
distributed.constants = +distributed.world: default_pg_timeout
distributed.distributed_c10d = distributed: *; +distributed.world: _get_default_group=get_default_group
distributed.elastic.multiprocessing.errors = +distributed.launcher.attempt: record; +torch_compat.unavailable:
    ChildFailedError
distributed.fsdp = nn.parallel.sharded.module: FSDPModule fully_shard register_fsdp_forward_method UnshardHandle;
    nn.parallel.sharded.policies: CPUOffloadPolicy MixedPrecisionPolicy OffloadPolicy; nn.parallel.sharded.wrapper:
    FullyShardedDataParallel MixedPrecision ShardingStrategy
distributed.fsdp.wrap = nn.parallel.sharded.policies: always_wrap_policy ModuleWrapPolicy size_based_auto_wrap_policy
    transformer_auto_wrap_policy
distributed.nn = distributed.nn.functional: *
distributed.nn.functional = +distributed.differentiable: _all_gather_base all_gather all_reduce all_to_all
    all_to_all_single broadcast gather reduce reduce_scatter scatter send_recv
distributed.optim = nn.parallel.zero_redundancy: ZeroRedundancyOptimizer
distributions = nn.distributions: *; nn.distributions.transforms.base: Transform;
    nn.distributions.transforms.composed: *; nn.distributions.transforms.elementwise: *;
    nn.distributions.transforms.cat_stack: *; nn.distributions.transforms.vectors: *
distributions.{bernoulli,binomial,geometric,negative_binomial} = nn.distributions.bernoulli: *
distributions.{beta,dirichlet,fishersnedecor} = nn.distributions.beta: *
distributions.{categorical,multinomial,one_hot_categorical} = nn.distributions.categorical: *
distributions.{cauchy,gumbel,half_cauchy,uniform} = nn.distributions.cauchy: *
distributions.{chi2,gamma,inverse_gamma,studentT} = nn.distributions.gamma: *
distributions.constraint_registry = nn.distributions.constraint_registry: *
distributions.constraints = nn.distributions.constraints: *
distributions.{continuous_bernoulli,kumaraswamy,relaxed_bernoulli} = nn.distributions.unit_interval: *
distributions.distribution = nn.distributions.base.distribution: *
distributions.{exp_family,independent} = nn.distributions.independent: *
distributions.{exponential,generalized_pareto,pareto,weibull} = nn.distributions.exponential: *
distributions.{half_normal,laplace,log_normal,normal} = nn.distributions.normal: *
distributions.kl = nn.distributions.kl: *
distributions.{lkj_cholesky,wishart} = nn.distributions.wishart: *
distributions.{logistic_normal,relaxed_categorical} = nn.distributions.unit_interval: *
distributions.{lowrank_multivariate_normal,multivariate_normal} = nn.distributions.multivariate_normal: *
distributions.mixture_same_family = nn.distributions.mixture_same_family: *
distributions.poisson = nn.distributions.bernoulli: *
distributions.transformed_distribution = nn.distributions.independent: *
distributions.transforms = nn.distributions.transforms: *; nn.distributions.transforms.base: Transform;
    nn.distributions.transforms.composed: *; nn.distributions.transforms.elementwise: *;
    nn.distributions.transforms.cat_stack: *; nn.distributions.transforms.vectors: *
distributions.utils = nn.distributions.base.parameters: *
distributions.von_mises = nn.distributions.cauchy: *
export = nn.export.dynamic_shapes: Dim dims; nn.export.export: export load save; nn.export.program: ExportedProgram
    ModuleCallEntry ModuleCallSignature; nn.export.signatures: ExportGraphSignature; +pytree.registry:
    register_dataclass
export.dynamic_shapes = nn.export.dynamic_shapes: Dim dims
export.exported_program = nn.export.program: ExportedProgram ModuleCallEntry ModuleCallSignature
export.graph_signature = nn.export.signatures: ConstantArgument ExportGraphSignature InputKind InputSpec OutputKind
    OutputSpec TensorArgument
fft = generated.ops.fft_*: fft2 fft fftn fftshift hfft2 hfft hfftn ifft2 ifft ifftn ifftshift ihfft2 ihfft ihfftn
    irfft2 irfft irfftn rfft2 rfft rfftn; runtime.ops.creation.windows: fftfreq rfftfreq
func = nn.utils.functional_call: functionalize replace_all_batch_norm_modules_; nn.modules.module.functional_call:
    functional_call stack_module_state; +vmap: vmap; +transforms: grad grad_and_value hessian jacfwd jacrev jvp
    linearize vjp
functional = generated.ops: cdist istft lu norm split stft unique unique_consecutive unravel_index;
    runtime.ops.matmul.einsum: chain_matmul einsum tensordot; runtime.ops.numeric.low_rank: pca_lowrank svd_lowrank;
    runtime.ops.shape.broadcast: atleast_1d atleast_2d atleast_3d block_diag broadcast_shapes broadcast_tensors
    cartesian_prod meshgrid
functorch = func: grad grad_and_value hessian jacfwd jacrev jvp linearize vjp vmap; nn.utils.functional_call:
    combine_state_for_ensemble functionalize FunctionalModule FunctionalModuleWithBuffers make_functional
    make_functional_with_buffers replace_all_batch_norm_modules_
futures = +distributed.groups.futures: collect_all Future wait_all
fx = nn.fx.node_arguments: map_arg; nn.fx.code: CodeGen; nn.fx.graph: Graph; nn.fx.graph_module: GraphModule;
    nn.fx.interpreter: Interpreter Transformer; nn.fx.node: has_side_effect Node; nn.fx.proxy: Proxy; nn.fx.passes:
    replace_pattern; nn.fx.tracer: PH symbolic_trace Tracer; nn.fx.patches: wrap
fx._symbolic_trace = nn.fx.tracer: is_fx_tracing PH symbolic_trace Tracer; nn.fx.patches: wrap
fx.experimental.optimization = nn.fx.passes: fuse remove_dropout
fx.graph = nn.fx.code: CodeGen PythonCode; nn.fx.graph: Graph
fx.graph_module = nn.fx.graph_module: _CodeOnlyModule=AttributesOnly _copy_attr=copy_attribute GraphModule
fx.immutable_collections = nn.fx.node_arguments: immutable_dict immutable_list
fx.interpreter = nn.fx.interpreter: Interpreter Transformer
fx.node = nn.fx.node_arguments: map_aggregate map_arg; nn.fx.node: Argument has_side_effect Node Target
fx.passes.shape_prop = nn.fx.passes: ShapeProp TensorMetadata
fx.proxy = nn.fx.proxy: Attribute GraphAppendingTracer ParameterProxy Proxy TraceError TracerBase
fx.subgraph_rewriter = nn.fx.passes: Match replace_pattern
graph = +graph_drawing.draw: draw Drawing
jit = nn.quantized: RecursiveScriptModule ScriptModule TopLevelTracedModule TracedModule; python.typing: Final;
    +torch_compat.script_errors: Error; +torch_compat.jit_script: _unwrap_optional=unwrap_optional annotate Attribute
    CompilationUnit fork freeze fuser isinstance=isinstance_of optimize_for_inference script ScriptFunction
    set_fusion_strategy trace trace_module TracerWarning wait; +distributed.groups.futures: Future
jit.annotations = python.typing: Any Dict List Optional Tuple Union; +torch_compat.jit_script: BroadcastingList1
    BroadcastingList2 BroadcastingList3 BroadcastingListCls
library = +torch_compat.custom_ops: custom_op CustomOpDef define impl impl_abstract=register_fake Library
    register_autograd register_fake register_kernel register_vmap
linalg = generated.ops.linalg_*: cholesky cholesky_ex cond cross det diagonal eig eigh eigvals eigvalsh
    householder_product inv inv_ex ldl_factor ldl_factor_ex ldl_solve lstsq lu lu_factor lu_factor_ex lu_solve matmul
    matrix_exp matrix_norm matrix_power matrix_rank multi_dot norm pinv qr slogdet solve solve_ex solve_triangular svd
    svdvals tensorinv tensorsolve vander vecdot vector_norm; runtime.errors: LinAlgError
masked = nn.masked: as_masked_tensor is_masked_tensor masked_tensor MaskedTensor; +masked.along_dim: cumprod
    cumsum log_softmax normalize softmax softmin; +masked.reductions: amax amin argmax argmin logaddexp logsumexp norm
    prod sum mean median std var
multiprocessing.pool = python.multiprocessing.pool: Pool
multiprocessing.queue = python.multiprocessing.queues: JoinableQueue Queue SimpleQueue
multiprocessing.reductions = python.multiprocessing.reduction: ForkingPickler; +multiprocessing.reductions:
    init_reductions rebuild_tensor reduce_storage reduce_tensor
multiprocessing.spawn = +multiprocessing.spawn: ProcessException ProcessExitedException ProcessRaisedException
    ProcessContext spawn SpawnContext start_processes
nested = nn.nested.create: as_nested_tensor masked_select narrow nested_tensor nested_tensor_from_jagged
    to_padded_tensor
nested._internal.nested_tensor = nn.nested.tensor: NestedTensor
{optim,optim._multi_tensor} = nn.optim: *
optim._adafactor = nn.optim.adagrad: Adafactor *
optim._functional = nn.optim.adagrad: adadelta adagrad; nn.optim.adam: adam adamax adamw nadam; nn.optim.sgd: asgd
    rmsprop rprop sgd; nn.optim.adam_variants: radam
optim._muon = nn.optim.adam_variants: Muon *
optim.adadelta = nn.optim.adagrad: Adadelta adadelta *
optim.adagrad = nn.optim.adagrad: Adagrad adagrad *
optim.adam = nn.optim.adam: Adam adam *
optim.adamax = nn.optim.adam: Adamax adamax *
optim.adamw = nn.optim.adam: AdamW adamw *
optim.asgd = nn.optim.sgd: ASGD asgd *
optim.lbfgs = nn.optim.lbfgs: LBFGS *
optim.lr_scheduler = nn.optim.lr_scheduler: *; nn.optim.lr_scheduler.base: _enable_get_lr_call
optim.nadam = nn.optim.adam: nadam NAdam *
optim.optimizer = nn.optim.optimizer: Optimizer params_t=ParamsT ParamsT required register_optimizer_step_post_hook
    register_optimizer_step_pre_hook; nn.optim.functional: _capturable_doc
    _default_to_fused_or_foreach=default_to_fused_or_foreach _differentiable_doc
    _disable_dynamo_if_unsupported=disable_dynamo_if_unsupported _dispatch_sqrt=dispatch_sqrt _foreach_doc _fused_doc
    _get_capturable_supported_devices=capturable_supported_devices _get_scalar_dtype=get_scalar_dtype
    _get_value=get_value _maximize_doc _params_doc _stack_if_compiling=stack_if_compiling _to_scalar=to_scalar
    _use_grad_for_differentiable=use_grad_for_differentiable _view_as_real=view_complex_as_real
optim.radam = nn.optim.adam_variants: RAdam radam *
optim.rmsprop = nn.optim.sgd: rmsprop RMSprop *
optim.rprop = nn.optim.sgd: Rprop rprop *
optim.sgd = nn.optim.sgd: sgd SGD *
optim.sparse_adam = nn.optim.adam_variants: SparseAdam *
optim.swa_utils = nn.optim.swa_utils: *; utils._foreach_utils: _group_tensors_by_device_and_dtype
overrides = +torch_compat.overrides_api: get_ignored_functions get_overridable_functions get_testing_overrides
    handle_torch_function has_torch_function has_torch_function_unary has_torch_function_variadic is_tensor_like
    is_tensor_method_or_property resolve_name wrap_torch_function; runtime.tensor.override_modes:
    BaseTorchFunctionMode TorchFunctionMode
profiler = +profiler.event_list: EventList; +profiler.events: FunctionEvent FunctionEventAvg; +profiler.export:
    tensorboard_trace_handler; +profiler.profile: kineto_available profile ProfilerAction ProfilerActivity schedule
    supported_activities; +profiler.named_ranges: record_function
profiler.profiler = +profiler.export: tensorboard_trace_handler; +profiler.profile: profile ProfilerAction schedule
    supported_activities
quantization = ao.quantization: convert DeQuantStub FakeQuantizeBase fuse_modules ObserverBase prepare prepare_qat
    quantize quantize_dynamic QuantStub QuantWrapper
quasirandom = runtime.ops.numeric.sobol: SobolEngine
random = runtime.tensor.generator: default_generator fork_rng get_rng_state initial_seed manual_seed seed
    set_rng_state
serialization = python.tempfile: mkdtemp; +serialization.devices: default_restore_location location_tag
    MAP_LOCATION=MapLocation register_package validate_cuda_device validate_hpu_device; +serialization.pickle_names:
    add_safe_globals clear_safe_globals get_safe_globals get_unsafe_globals_in_checkpoint safe_globals;
    +serialization.save_load: DEFAULT_PROTOCOL load save; +serialization.settings:
    check_module_version_greater_or_equal get_crc32_options get_default_load_endianness get_default_mmap_options
    LoadEndianness normalize_storage_type set_crc32_options set_default_load_endianness set_default_mmap_options
    skip_data SourceChangeWarning storage_to_tensor_type
signal.windows = runtime.ops.creation.signal_windows: bartlett blackman cosine exponential gaussian general_cosine
    general_hamming hamming hann kaiser nuttall
sparse = +sparse.functions: addmm log_softmax mm sampled_addmm softmax spdiags sum; +sparse.legacy:
    check_sparse_tensor_invariants named()
special = generated.ops: airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 digamma entr erf erfc erfcx erfinv exp2
    expit=sigmoid expm1 gammainc=igamma gammaincc=igammac gammaln=lgamma i0 i0e i1 i1e log1p log_ndtr log_softmax
    logit logsumexp modified_bessel_i0=i0 modified_bessel_i1=i1 modified_bessel_k0 modified_bessel_k1
    multigammaln=mvlgamma ndtr ndtri polygamma psi=digamma round scaled_modified_bessel_k0 scaled_modified_bessel_k1
    sinc softmax spherical_bessel_j0 xlog1py xlogy zeta; runtime.ops.numeric.polynomials: chebyshev_polynomial_t
    chebyshev_polynomial_u chebyshev_polynomial_v chebyshev_polynomial_w hermite_polynomial_h hermite_polynomial_he
    laguerre_polynomial_l legendre_polynomial_p shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u
    shifted_chebyshev_polynomial_v shifted_chebyshev_polynomial_w
testing = +testing.assert_close: assert_allclose assert_close make_tensor
torch_version = +torch_compat.version: TorchVersion
utils._contextlib = runtime.tensor.grad_mode: _DecoratorContextManager=DecoratorContextManager
    _NoParamDecoratorContextManager=NoParamDecoratorContextManager context_decorator
utils._foreach_utils = +torch_compat.functions: _device_has_foreach_support=device_has_foreach
    _get_foreach_kernels_supported_devices=foreach_devices _get_fused_kernels_supported_devices=fused_devices
    _group_tensors_by_device_and_dtype=group_tensors_by_device_and_dtype _has_foreach_support=has_foreach
utils._python_dispatch = +torch_compat.unavailable: TorchDispatchMode
utils._pytree = +pytree.maps: map_only tree_all tree_all_only tree_any
    tree_any_only tree_flatten_with_path tree_leaves_with_path tree_map tree_map_ tree_map_only tree_map_only_
    tree_map_with_path; +pytree.registry: _deregister_pytree_node=deregister_pytree_node _get_node_type=node_type
    _is_namedtuple_instance=is_namedtuple_instance _register_namedtuple=register_named_tuple
    _register_pytree_node=register_pytree_node GetAttrKey is_namedtuple is_namedtuple_class is_namedtuple_instance
    key_get keystr MappingKey NodeDef register_dataclass register_pytree_node SequenceKey SUPPORTED_NODES named();
    +pytree.structure: _broadcast_to_and_flatten=broadcast_to_and_flatten _is_leaf=tree_is_leaf arg_tree_leaves
    LeafSpec tree_flatten tree_is_leaf tree_iter tree_leaves tree_structure tree_unflatten TreeSpec treespec_dict
    treespec_dumps treespec_leaf treespec_loads treespec_pprint treespec_tuple PyTreeSpec=TreeSpec
utils.benchmark = +benchmark.compare: Compare; +benchmark.measurement: Measurement ordered_unique select_unit TaskSpec
    trim_sigfig unit_to_english; +benchmark.timer: Language set_torch_threads timer Timer
utils.checkpoint = +checkpoint.checkpoint: check_backward_validity checkpoint checkpoint_sequential CheckpointFunction
    detach_variable noop_context_fn set_checkpoint_debug_enabled set_checkpoint_early_stop;
    +checkpoint.recomputed_frame: CheckpointError; +checkpoint.selective: CheckpointPolicy
    create_selective_checkpoint_contexts SelectiveCheckpointContext; +cuda_api.generator: DefaultDeviceType
    get_device_states set_device_states
utils.cpp_extension = +torch_compat.unavailable: BuildExtension
utils.data = nn.data: *; nn.data.sampler: DistributedSampler; nn.data.pipes: functional_datapipe IterDataPipe
    MapDataPipe DataChunk
utils.data._utils.collate = nn.data.collate: default_collate default_convert collate collate_float_fn collate_int_fn
    collate_numpy_array_fn collate_numpy_scalar_fn collate_str_fn collate_tensor_fn default_collate_err_msg_format
    default_collate_fn_map np_str_obj_array_pattern
utils.data._utils.pin_memory = nn.data.collate: pin_memory
utils.data._utils.worker = nn.data.worker_info: get_worker_info WorkerInfo
utils.data.dataloader = nn.data: DataLoader default_collate default_convert get_worker_info; nn.data.dataloader:
    _BaseDataLoaderIter=_LoaderIterator _collate_fn_t=Collate _DatasetKind=DatasetKind
    _MultiProcessingDataLoaderIter=WorkersIterator _SingleProcessDataLoaderIter=OneProcessIterator
    _worker_init_fn_t=WorkerInit
utils.data.datapipes.datapipe = nn.data.pipes: IterDataPipe MapDataPipe
utils.data.datapipes.iter = nn.data.pipes: IterDataPipe Batcher Collator UnBatcher Concater Filter IterableWrapper
    Mapper Shuffler Zipper
utils.data.datapipes.iter.callable = nn.data.pipes: CollatorIterDataPipe=Collator MapperIterDataPipe=Mapper
utils.data.datapipes.iter.combinatorics = nn.data.pipes: ShufflerIterDataPipe=Shuffler
utils.data.datapipes.iter.combining = nn.data.pipes: ConcaterIterDataPipe=Concater ZipperIterDataPipe=Zipper
utils.data.datapipes.iter.grouping = nn.data.pipes: BatcherIterDataPipe=Batcher UnBatcherIterDataPipe=UnBatcher
utils.data.datapipes.iter.selecting = nn.data.pipes: FilterIterDataPipe=Filter
utils.data.dataset = nn.data: ChainDataset ConcatDataset Dataset IterableDataset random_split StackDataset Subset
    TensorDataset
utils.data.distributed = nn.data.sampler: DistributedSampler
utils.data.sampler = nn.data: BatchSampler RandomSampler Sampler SequentialSampler SubsetRandomSampler
    WeightedRandomSampler
utils.flop_counter = nn.utils.flop_counter: FlopCounterMode
utils.hooks = nn.modules.module.backward_hooks: BackwardHook; runtime.autograd.hooks: unserializable_hook
    warn_if_has_hooks RemovableHandle
utils.pytree = utils._pytree: *
{utils.tensorboard,utils.tensorboard.writer} = +tensorboard.writer: FileWriter SummaryWriter
utils.tensorboard.summary = +tensorboard.messages: hparams=session
utils.weak = runtime.methods.swap: TensorWeakRef WeakIdKeyDictionary WeakIdRef WeakTensorKeyDictionary
version = : __version__
"""

# Modules of which nothing is a home: they have settings, other modules below them, or names of what is not here.
_WITHOUT_HOMES = """
_dynamo.config _dynamo.eval_frame _dynamo.utils _inductor _inductor.config _subclasses.fake_tensor ao
backends.cusparselt backends.kleidiai backends.mps backends.openmp backends.opt_einsum backends.quantized
backends.xnnpack distributed._tensor.experimental distributed.algorithms distributed.device_mesh distributed.elastic
distributed.elastic.multiprocessing distributed.rpc distributed.tensor.experimental fx._compatibility fx.experimental
fx.experimental.proxy_tensor fx.passes mps mtia nested._internal signal utils._triton utils.data._utils
utils.data.datapipes utils.deterministic xpu
"""


def homes(text: str) -> dict[str, list[str]]:
    """The names that each home gives, of `home: name name; home: name`."""
    parts = (part.partition(":") for part in text.split(";"))
    return {home.strip().replace("+", "runtime.extensions."): names.split() for home, _, names in parts}


def entries(text: str) -> tuple[str, ...]:
    """`homes`, a string for each: `home:name name`."""
    found = []
    for home, names in homes(text).items():
        if home.endswith("*"):
            home, _, prefix = home.removesuffix("*").rpartition(".")
            names = [f"{name}={prefix}{name}" for name in names]
        found.append(f"{home}:{' '.join(names)}")
    return tuple(found)


def _modules(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Modules and their entries, of the lines of a table; an indented line belongs to the one before."""
    for line in re.sub(r"\n +", " ", text.strip()).splitlines():
        modules, _, offered = line.partition(" = ")
        package, _, names = modules.removesuffix("}").rpartition("{")
        for name in names.split(","):
            yield package + name, entries(offered)


NAMES: dict[str, tuple[str, ...]] = dict(sorted([*_modules(_TABLE), *((name, ()) for name in _WITHOUT_HOMES.split())]))

# Modules whose functions explain their errors from their annotations.
_GUARDED = """
amp autograd.forward_ad autograd.functional autograd.gradcheck autograd.graph autograd.profiler autograd.variable
backends.mps cpu distributions distributions.constraints distributions.kl distributions.utils export func functorch
futures fx.graph graph library masked nested optim optim.optimizer profiler quasirandom random serialization
signal.windows sparse utils._pytree utils.benchmark utils.checkpoint utils.data utils.data._utils.collate
utils.data.dataloader utils.data.dataset utils.data.sampler
"""
GUARDED = frozenset(_GUARDED.split())

# Files of PyTorch's that programs take their imports from: what the package around them offers, these have too.
_BORROWERS = """
optim.lr_scheduler optim.optimizer utils.data.dataloader utils.data.dataset utils.data.distributed utils.data.sampler
"""
BORROWERS = frozenset(_BORROWERS.split())
