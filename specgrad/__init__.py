"""specgrad: automatic differentiation and deep learning, generated from one file, with PyTorch's API.

The four folders of the project are reached through relative links beside this file, so to Python and to
every tool this is an ordinary package. What PyTorch keeps under another name (`optim`, `utils.data`,
`autograd`, `linalg`, `special`, `fft`, `random`) is a small real module here that re-exports: entries in
`sys.modules` would do for a running program, but type checkers and editors could not follow them. `profiler`,
`graph` and `cuda`, which most programs never ask for, are loaded when they are first named.
"""

from importlib import import_module as _import_module
from math import e, inf, nan, pi
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from . import accelerator, autograd, backends, cpu, fft, func, linalg, nn, optim, random, special, utils
from . import moved as _moved  # noqa: F401 - finds modules by the names that they had
from .generated import ops as _ops
from .generated.ops import *
from .generated.tensor import Tensor
from .nn.functional import rrelu, rrelu_, threshold, threshold_
from .nn.functional.pooling import window as _window_pooling
from .runtime import creation as _creation
from .runtime.arguments import guard as _guard
from .runtime.autograd import (
    enable_grad,
    inference_mode,
    is_anomaly_check_nan_enabled,
    is_anomaly_enabled,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from .runtime.batching import vmap
from .runtime.creation import (
    arange,
    as_tensor,
    asarray,
    bartlett_window,
    bernoulli,
    binomial,
    blackman_window,
    empty,
    empty_like,
    empty_permuted,
    empty_strided,
    eye,
    from_dlpack,
    from_numpy,
    frombuffer,
    full,
    full_like,
    hamming_window,
    hann_window,
    kaiser_window,
    linspace,
    logspace,
    multinomial,
    normal,
    ones,
    ones_like,
    poisson,
    rand,
    rand_like,
    randint,
    randint_like,
    randn,
    randn_like,
    randperm,
    scalar_tensor,
    tensor,
    tril_indices,
    triu_indices,
    zeros,
    zeros_like,
)
from .runtime.creation.legacy import (
    BFloat16Tensor,
    BoolTensor,
    ByteTensor,
    CharTensor,
    ComplexDoubleTensor,
    ComplexFloatTensor,
    DoubleTensor,
    FloatTensor,
    HalfTensor,
    IntTensor,
    LongTensor,
    ShortTensor,
)
from .runtime.errors import AcceleratorError, OutOfMemoryError
from .runtime.functions.contraction import chain_matmul, einsum, tensordot
from .runtime.functions.estimates import gradient
from .runtime.functions.histogramdd import histogramdd
from .runtime.functions.low_rank import pca_lowrank, svd_lowrank
from .runtime.functions.several import (
    atleast_1d,
    atleast_2d,
    atleast_3d,
    block_diag,
    broadcast_shapes,
    broadcast_tensors,
    cartesian_prod,
    meshgrid,
)
from .runtime.methods import queries as _queries
from .runtime.methods.printing import set_printoptions
from .runtime.methods.queries import (
    allclose,
    equal,
    is_complex,
    is_conj,
    is_floating_point,
    is_neg,
    is_nonzero,
    is_same_size,
    is_tensor,
    isclose,
    numel,
)
from .runtime.native import registration as _registration  # noqa: F401 - the fast path of all ops
from .runtime.pool.threads import get_num_interop_threads, get_num_threads, set_num_interop_threads, set_num_threads
from .runtime.random import Generator, default_generator, get_rng_state, initial_seed, manual_seed, seed, set_rng_state
from .runtime.saving.serialization import load, save
from .runtime.settings import (
    are_deterministic_algorithms_enabled,
    get_default_device,
    get_deterministic_debug_mode,
    get_float32_matmul_precision,
    is_deterministic_algorithms_warn_only_enabled,
    is_warn_always_enabled,
    set_default_device,
    set_deterministic_debug_mode,
    set_float32_matmul_precision,
    set_flush_denormal,
    set_warn_always,
    use_deterministic_algorithms,
)
from .runtime.tensor.allocation import keep_freed_memory as _keep_freed_memory
from .runtime.tensor.devices import device
from .runtime.tensor.dtypes import (
    bfloat16,
    bool_,
    can_cast,
    complex64,
    complex128,
    dtype,
    finfo,
    float16,
    float32,
    float64,
    get_default_dtype,
    iinfo,
    int8,
    int16,
    int32,
    int64,
    promote_types,
    result_type,
    set_default_dtype,
    uint8,
)
from .runtime.tensor.memory_format import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    layout,
    memory_format,
    preserve_format,
    strided,
)
from .runtime.tensor.shapes import Size

if _TYPE_CHECKING:
    from . import cuda, graph, profiler

__version__ = "0.1.0"

newaxis = None
half, float, double = float16, float32, float64
cfloat, cdouble = complex64, complex128
short, int, long = int16, int32, int64
bool = bool_

_keep_freed_memory()

__all__ = [
    "AcceleratorError",
    "BFloat16Tensor",
    "BoolTensor",
    "ByteTensor",
    "CharTensor",
    "ComplexDoubleTensor",
    "ComplexFloatTensor",
    "DoubleTensor",
    "FloatTensor",
    "Generator",
    "HalfTensor",
    "IntTensor",
    "LongTensor",
    "OutOfMemoryError",
    "ShortTensor",
    "Size",
    "Tensor",
    "accelerator",
    "allclose",
    "arange",
    "are_deterministic_algorithms_enabled",
    "as_tensor",
    "asarray",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "autograd",
    "backends",
    "bernoulli",
    "bfloat16",
    "block_diag",
    "binomial",
    "bool",
    "broadcast_shapes",
    "broadcast_tensors",
    "can_cast",
    "cartesian_prod",
    "cdouble",
    "cfloat",
    "chain_matmul",
    "channels_last",
    "channels_last_3d",
    "complex64",
    "bartlett_window",
    "blackman_window",
    "complex128",
    "contiguous_format",
    "cpu",
    "cuda",
    "default_generator",
    "device",
    "double",
    "dtype",
    "e",
    "einsum",
    "empty",
    "empty_like",
    "empty_permuted",
    "empty_strided",
    "enable_grad",
    "equal",
    "eye",
    "fft",
    "finfo",
    "float",
    "float16",
    "float32",
    "float64",
    "from_dlpack",
    "from_numpy",
    "frombuffer",
    "full",
    "full_like",
    "func",
    "get_default_device",
    "get_default_dtype",
    "get_deterministic_debug_mode",
    "get_float32_matmul_precision",
    "get_num_interop_threads",
    "get_num_threads",
    "get_rng_state",
    "gradient",
    "graph",
    "half",
    "hamming_window",
    "hann_window",
    "histogramdd",
    "iinfo",
    "inf",
    "inference_mode",
    "initial_seed",
    "int",
    "int8",
    "int16",
    "int32",
    "int64",
    "is_anomaly_check_nan_enabled",
    "is_anomaly_enabled",
    "is_complex",
    "is_conj",
    "is_deterministic_algorithms_warn_only_enabled",
    "is_floating_point",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "is_neg",
    "is_nonzero",
    "is_same_size",
    "is_tensor",
    "is_warn_always_enabled",
    "isclose",
    "kaiser_window",
    "layout",
    "linalg",
    "linspace",
    "load",
    "logspace",
    "long",
    "manual_seed",
    "memory_format",
    "meshgrid",
    "multinomial",
    "nan",
    "newaxis",
    "nn",
    "no_grad",
    "normal",
    "numel",
    "ones",
    "ones_like",
    "optim",
    "pca_lowrank",
    "pi",
    "poisson",
    "preserve_format",
    "profiler",
    "promote_types",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "random",
    "randperm",
    "result_type",
    "rrelu",
    "rrelu_",
    "save",
    "scalar_tensor",
    "seed",
    "set_default_device",
    "set_default_dtype",
    "set_deterministic_debug_mode",
    "set_float32_matmul_precision",
    "set_flush_denormal",
    "set_grad_enabled",
    "set_num_interop_threads",
    "set_num_threads",
    "set_printoptions",
    "set_rng_state",
    "set_warn_always",
    "short",
    "special",
    "strided",
    "svd_lowrank",
    "tensor",
    "tril_indices",
    "triu_indices",
    "tensordot",
    "threshold",
    "threshold_",
    "uint8",
    "use_deterministic_algorithms",
    "utils",
    "vmap",
    "zeros",
    "zeros_like",
]
__all__ += _ops.__all__

_guard(
    besides=(
        *(fft, linalg, special, autograd.function, autograd.grad_mode, _creation, _queries),
        *(nn.functional.activation, nn.functional.loss, nn.functional.softmax, nn.functional.normalization),
        _window_pooling,
        *(Size, device, dtype, is_grad_enabled, is_inference_mode_enabled),
    )
)


def __getattr__(name: str) -> _Any:
    if name in ("cuda", "graph", "profiler"):
        return _import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
