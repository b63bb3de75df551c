"""specgrad: automatic differentiation and deep learning, generated from one file, with PyTorch's API.

The four folders of the project are reached through relative links beside this file, so to Python and to
every tool this is an ordinary package. What PyTorch keeps under another name (`optim`, `utils.data`,
`profiler`) is an entry of one table (`torch_names.py`): a module that finds a name when it is first asked for.
Type checkers and editors read the `.pyi` files that `python -m codegen` writes from it. `cuda`, `distributed`
and other files, which most programs never ask for, are loaded when they are first named (`later.py`).
"""

import sys as _sys
import typing as _typing
from math import e, inf, nan, pi

from . import torch_modules as _torch_modules  # noqa: F401 - makes modules that the lines below import

# isort: split
from . import autograd, backends, cpu, fft, func, linalg, nn, optim, random, special, utils
from . import later as _later
from .generated import ops as _ops
from .generated.ops import *
from .generated.tensor import Tensor
from .nn.functional import pooling as _pooling
from .nn.functional import rrelu, rrelu_, threshold, threshold_
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
from .runtime.device.device import device
from .runtime.device.threads.parallel_for import (
    get_num_interop_threads,
    get_num_threads,
    set_num_interop_threads,
    set_num_threads,
)
from .runtime.errors import AcceleratorError, OutOfMemoryError
from .runtime.extensions.serialization.save_load import load, save
from .runtime.extensions.storage.legacy_constructors import (
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
    set_default_tensor_type,
)
from .runtime.extensions.vmap import vmap
from .runtime.methods import queries as _queries
from .runtime.methods import settings as _settings
from .runtime.methods.argument_guard import asking_themselves as _asking_themselves
from .runtime.methods.argument_guard import guard as _guard
from .runtime.methods.printing import set_printoptions
from .runtime.methods.queries import *
from .runtime.methods.settings import *
from .runtime.native import registration as _registration  # noqa: F401 - the fast path of all ops
from .runtime.ops import creation as _creation
from .runtime.ops.creation import (
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
from .runtime.ops.matmul.einsum import chain_matmul, einsum, tensordot
from .runtime.ops.numeric.gradient import gradient
from .runtime.ops.numeric.histogramdd import histogramdd
from .runtime.ops.numeric.low_rank import pca_lowrank, svd_lowrank
from .runtime.ops.shape import broadcast as _broadcast
from .runtime.ops.shape.broadcast import *
from .runtime.shapes import Size
from .runtime.tensor import dtypes as _dtypes
from .runtime.tensor import generator as _generator
from .runtime.tensor import memory_format as _memory_format
from .runtime.tensor.dtypes import *
from .runtime.tensor.generator import *
from .runtime.tensor.memory import keep_freed_memory as _keep_freed_memory
from .runtime.tensor.memory_format import *

if _typing.TYPE_CHECKING:
    from . import (
        accelerator,
        amp,
        cuda,
        distributions,
        fx,
        graph,
        masked,
        multiprocessing,
        overrides,
        profiler,
        quasirandom,
        return_types,
        signal,
        storage,
    )
    from . import serialization as serialization
    from . import torch_version as torch_version
    from .named_later import *
    from .runtime.extensions.torch_compat.as_torch import as_torch

__version__ = "0.1.0"

newaxis = None
half, float, double = _dtypes.float16, _dtypes.float32, _dtypes.float64
chalf, cfloat, cdouble = _dtypes.complex32, _dtypes.complex64, _dtypes.complex128
short, int, long = _dtypes.int16, _dtypes.int32, _dtypes.int64
bool = bool_ = _dtypes.bool_

_keep_freed_memory()

# in the order of the imports
__all__ = ["e", "inf", "nan", "pi"]
__all__ += ["autograd", "backends", "cpu", "fft", "func", "linalg", "nn", "optim", "random", "special", "utils"]
__all__ += ["Tensor", "rrelu", "rrelu_", "threshold", "threshold_"]
__all__ += ["enable_grad", "inference_mode", "is_anomaly_check_nan_enabled", "is_anomaly_enabled"]
__all__ += ["is_grad_enabled", "is_inference_mode_enabled", "no_grad", "set_grad_enabled"]
__all__ += ["device"]
__all__ += ["get_num_interop_threads", "get_num_threads", "set_num_interop_threads", "set_num_threads"]
__all__ += ["AcceleratorError", "OutOfMemoryError", "load", "save"]
__all__ += ["BFloat16Tensor", "BoolTensor", "ByteTensor", "CharTensor", "ComplexDoubleTensor", "ComplexFloatTensor"]
__all__ += ["DoubleTensor", "FloatTensor", "HalfTensor", "IntTensor", "LongTensor", "ShortTensor"]
__all__ += ["set_default_tensor_type"]
__all__ += ["vmap", "set_printoptions"]
__all__ += ["arange", "as_tensor", "asarray", "bartlett_window", "bernoulli", "binomial", "blackman_window"]
__all__ += ["empty", "empty_like", "empty_permuted", "empty_strided", "eye", "from_dlpack", "from_numpy"]
__all__ += ["frombuffer", "full", "full_like", "hamming_window", "hann_window", "kaiser_window", "linspace"]
__all__ += ["logspace", "multinomial", "normal", "ones", "ones_like", "poisson", "rand", "rand_like", "randint"]
__all__ += ["randint_like", "randn", "randn_like", "randperm", "scalar_tensor", "tensor", "tril_indices"]
__all__ += ["triu_indices", "zeros", "zeros_like"]
__all__ += ["chain_matmul", "einsum", "tensordot", "gradient", "histogramdd"]
__all__ += ["pca_lowrank", "svd_lowrank"]
__all__ += ["Size"]
__all__ += ["accelerator", "amp", "cuda", "distributions", "fx", "graph", "masked", "multiprocessing", "overrides"]
__all__ += ["profiler", "quasirandom", "return_types", "signal", "storage"]
__all__ += ["autocast"]
__all__ += ["get_autocast_cpu_dtype", "get_autocast_gpu_dtype", "is_autocast_cpu_enabled", "set_autocast_cpu_dtype"]
__all__ += ["set_autocast_cpu_enabled", "set_autocast_gpu_dtype"]
__all__ += ["autocast_decrement_nesting", "autocast_increment_nesting", "clear_autocast_cache"]
__all__ += ["get_autocast_dtype", "is_autocast_cache_enabled", "is_autocast_enabled", "set_autocast_cache_enabled"]
__all__ += ["set_autocast_dtype", "set_autocast_enabled"]
__all__ += ["as_torch", "TypedStorage", "UntypedStorage", "from_file", "is_storage"]
__all__ += ["bool", "cdouble", "cfloat", "chalf", "double", "float", "half", "int", "long", "newaxis", "short"]
__all__ += _ops.__all__ + _queries.__all__ + _settings.__all__ + _broadcast.__all__
__all__ += _dtypes.__all__ + _generator.__all__ + _memory_format.__all__

_guard(
    besides=(
        *(autograd.function, autograd.grad_mode, _creation, _queries),
        *(nn.functional.softmax, nn.functional.layer_norm, nn.functional.grid_sample),
        *_asking_themselves(nn.functional.activation, nn.functional.loss, nn.functional.normalization, _pooling),
        *(Size, device, _dtypes.dtype, is_grad_enabled, is_inference_mode_enabled),
    )
)

torch = _sys.modules[__name__]  # a name of PyTorch's for itself
if not _typing.TYPE_CHECKING:
    __getattr__ = _later.finder(__name__, _later.MODULES, _later.NAMES, _later.FAMILIES)
__dir__ = _later.listing(__name__, *_later.MODULES, *_later.NAMES)
