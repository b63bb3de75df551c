"""specgrad: automatic differentiation and deep learning, generated from one file, with PyTorch's API.

The four folders of the project are reached through relative links beside this file, so to Python and to
every tool this is an ordinary package. What PyTorch keeps under another name (`optim`, `utils.data`,
`autograd`, `linalg`, `special`, `random`) is a small real module here that re-exports: entries in
`sys.modules` would do for a running program, but type checkers and editors could not follow them.
"""

from math import e, inf, nan, pi

from . import autograd, cuda, linalg, nn, optim, random, special, utils
from .generated import ops as _ops
from .generated.ops import *
from .generated.tensor import Tensor
from .runtime.autograd import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from .runtime.creation import (
    arange,
    as_tensor,
    asarray,
    empty,
    empty_like,
    eye,
    from_dlpack,
    from_numpy,
    full,
    full_like,
    linspace,
    ones,
    ones_like,
    rand,
    rand_like,
    randint,
    randint_like,
    randn,
    randn_like,
    randperm,
    tensor,
    zeros,
    zeros_like,
)
from .runtime.devices import device
from .runtime.dtypes import (
    bfloat16,
    bool_,
    can_cast,
    complex64,
    complex128,
    dtype,
    float16,
    float32,
    float64,
    get_default_dtype,
    int8,
    int16,
    int32,
    int64,
    promote_types,
    result_type,
    set_default_dtype,
    uint8,
)
from .runtime.limits import finfo, iinfo
from .runtime.printing import set_printoptions
from .runtime.queries import (
    allclose,
    equal,
    is_complex,
    is_floating_point,
    is_nonzero,
    is_same_size,
    is_tensor,
    isclose,
    numel,
)
from .runtime.random import Generator, get_rng_state, initial_seed, manual_seed, seed, set_rng_state
from .runtime.serialization import load, save
from .runtime.shapes import Size
from .runtime.threads import get_num_threads, set_num_threads

__version__ = "0.1.0"

newaxis = None
half, float, double = float16, float32, float64
cfloat, cdouble = complex64, complex128
short, int, long = int16, int32, int64
bool = bool_

__all__ = [
    "Generator",
    "Size",
    "Tensor",
    "allclose",
    "arange",
    "as_tensor",
    "asarray",
    "autograd",
    "bfloat16",
    "bool",
    "can_cast",
    "cdouble",
    "cfloat",
    "complex64",
    "complex128",
    "cuda",
    "device",
    "double",
    "dtype",
    "e",
    "empty",
    "empty_like",
    "enable_grad",
    "equal",
    "eye",
    "finfo",
    "float",
    "float16",
    "float32",
    "float64",
    "from_dlpack",
    "from_numpy",
    "full",
    "full_like",
    "get_default_dtype",
    "get_num_threads",
    "get_rng_state",
    "half",
    "iinfo",
    "inf",
    "inference_mode",
    "initial_seed",
    "int",
    "int8",
    "int16",
    "int32",
    "int64",
    "is_complex",
    "is_floating_point",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "is_nonzero",
    "is_same_size",
    "is_tensor",
    "isclose",
    "linalg",
    "linspace",
    "load",
    "long",
    "manual_seed",
    "nan",
    "newaxis",
    "nn",
    "no_grad",
    "numel",
    "ones",
    "ones_like",
    "optim",
    "pi",
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
    "save",
    "seed",
    "set_default_dtype",
    "set_grad_enabled",
    "set_num_threads",
    "set_printoptions",
    "set_rng_state",
    "short",
    "special",
    "tensor",
    "uint8",
    "utils",
    "zeros",
    "zeros_like",
]
__all__ += _ops.__all__
