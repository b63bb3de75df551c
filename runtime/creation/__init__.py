"""Functions that make tensors out of data, constants, ranges and random numbers."""

from ..namespace import op
from .data import as_tensor, asarray, from_dlpack, from_numpy, tensor
from .distributions import bernoulli, binomial, multinomial, normal, poisson
from .filled import empty, eye, full, ones, scalar_tensor, zeros
from .like import (
    empty_like,
    full_like,
    new_empty,
    new_full,
    new_ones,
    new_tensor,
    new_zeros,
    ones_like,
    rand_like,
    randint_like,
    randn_like,
    zeros_like,
)
from .random_fill import bernoulli_, cauchy_, exponential_, geometric_, log_normal_, normal_, random_, uniform_
from .ranges import arange, linspace, logspace
from .sampling import rand, randint, randn, randperm
from .strided import empty_permuted, empty_strided, frombuffer, new_empty_strided
from .triangles import tril_indices, triu_indices
from .windows import bartlett_window, blackman_window, hamming_window, hann_window, kaiser_window

__all__ = [
    "arange",
    "as_tensor",
    "asarray",
    "bartlett_window",
    "bernoulli",
    "bernoulli_",
    "binomial",
    "cauchy_",
    "blackman_window",
    "empty",
    "empty_like",
    "empty_permuted",
    "empty_strided",
    "exponential_",
    "eye",
    "from_dlpack",
    "from_numpy",
    "frombuffer",
    "full",
    "full_like",
    "geometric_",
    "hamming_window",
    "hann_window",
    "kaiser_window",
    "linspace",
    "log_normal_",
    "logspace",
    "multinomial",
    "new_empty",
    "new_empty_strided",
    "new_full",
    "new_ones",
    "new_tensor",
    "new_zeros",
    "normal",
    "normal_",
    "ones",
    "ones_like",
    "poisson",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "random_",
    "randperm",
    "scalar_tensor",
    "tensor",
    "tril_indices",
    "triu_indices",
    "uniform_",
    "zeros",
    "zeros_like",
]

op.publish({name: globals()[name] for name in __all__})
