"""Functions that make tensors out of data, constants, ranges and random numbers."""

from types import FunctionType

from ...namespace import op
from .constants import empty, eye, full, ones, scalar_tensor, zeros
from .distributions import bernoulli, binomial, multinomial, normal, poisson
from .from_data import as_tensor, from_numpy, tensor
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
from .memory import asarray, empty_permuted, empty_strided, from_dlpack, frombuffer, new_empty_strided
from .random import rand, randint, randn, randperm
from .random_fill import bernoulli_, cauchy_, exponential_, geometric_, log_normal_, normal_, random_, uniform_
from .ranges import arange, linspace, logspace, tril_indices, triu_indices
from .windows import bartlett_window, blackman_window, hamming_window, hann_window, kaiser_window

__all__ = [name for name, value in list(globals().items()) if isinstance(value, FunctionType)]

op.publish({name: globals()[name] for name in __all__})
