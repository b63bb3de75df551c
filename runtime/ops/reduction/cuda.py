"""Reductions on a device: row programs over the dimensions that are reduced. Complex numbers are the host's."""

from __future__ import annotations

import math
from typing import Any

from ...cuda import memory
from ...cuda.array import DeviceArray
from ...cuda.fallback import Fallback
from ...cuda.memory import contiguous
from ...cuda.rows import over
from ...kernels.cpu.folding import reduced_dims_of
from ..scan.cuda import running_sum
from . import cpu, plans

Dims = tuple[int, ...]
LENGTHS = {0: "not_zero", 1: "total_size", 2: "length", math.inf: "greatest_size", -math.inf: "least_size"}


def sum_all(a: DeviceArray) -> DeviceArray:
    """sum_i a_i."""
    return reduced("total", cpu.sum_all, a, all_of(a), False, given=(a,))


def sum_dim(a: DeviceArray, dim: Dims, keepdim: bool) -> DeviceArray:
    """sum_i a_i over `dim`."""
    return reduced("total", cpu.sum_dim, a, dim, keepdim)


def sum_to_size(a: DeviceArray, size: Dims) -> DeviceArray:
    """The sum over the dimensions that `size` lacks or has as 1."""
    dims = plans.grown(size, a.shape)
    if not dims:  # which would stand for all
        return contiguous(a).reshape(size)
    return reduced("total", cpu.sum_to_size, a, dims, True, given=(a, size)).reshape(size)


def filled(self: DeviceArray, size: Dims) -> DeviceArray:
    """An array of `size` full of the one element of `self`."""
    steps = (0,) * len(size)
    return memory.copied(
        DeviceArray(self.address, tuple(size), self.dtype, self.block, self.device, steps, self.stored)
    )


def prod_all(a: DeviceArray) -> DeviceArray:
    """prod_i a_i."""
    return reduced("product", cpu.prod_all, a, all_of(a), False, given=(a,))


def prod_dim(a: DeviceArray, dim: int, keepdim: bool) -> DeviceArray:
    """prod_i a_i over `dim`."""
    return reduced("product", cpu.prod_dim, a, dim, keepdim)


def mean_all(a: DeviceArray) -> DeviceArray:
    """(1/n) sum_i a_i; nan of no elements."""
    return reduced("quotient_of_total", cpu.mean_all, a, all_of(a), False, float(a.size), given=(a,))


def mean_dim(a: DeviceArray, dim: Dims, keepdim: bool) -> DeviceArray:
    """(1/n) sum_i a_i over `dim`; nan of no elements."""
    return reduced("quotient_of_total", cpu.mean_dim, a, dim, keepdim, float(math.prod(a.shape[d] for d in dim)))


def var_dim(a: DeviceArray, dim: Dims, correction: float, keepdim: bool) -> DeviceArray:
    """sum_i (a_i - mean)^2 / max(n - correction, 0), in two passes."""
    given = a, dim, correction, keepdim
    return reduced("variance", cpu.var_dim, a, dim, keepdim, float(correction), given=given)


def std_dim(a: DeviceArray, dim: Dims, correction: float, keepdim: bool) -> DeviceArray:
    """sqrt(var)."""
    given = a, dim, correction, keepdim
    return reduced("deviation", cpu.std_dim, a, dim, keepdim, float(correction), given=given)


def norm(a: DeviceArray, p: float, dim: Dims, keepdim: bool) -> DeviceArray:
    """(sum_i |a_i|^p)^(1/p) over `dim`."""
    numbers = () if p in LENGTHS else (float(p),)
    return reduced(LENGTHS.get(p, "length_of_power"), cpu.norm, a, dim, keepdim, *numbers, given=(a, p, dim, keepdim))


def logsumexp(a: DeviceArray, dim: Dims, keepdim: bool) -> DeviceArray:
    """m + log sum_i exp(a_i - m) over `dim`, m being the greatest element."""
    return reduced("logsumexp", cpu.logsumexp, a, dim, keepdim)


def cumsum_backward(grad: DeviceArray, dim: int) -> DeviceArray:
    """x_j gets sum_{i >= j} g_i."""
    return running_sum(grad, dim, True)


def all_of(a: DeviceArray) -> Dims:
    return reduced_dims_of(a.ndim, None)


def reduced(
    name: str, kernel: Any, a: DeviceArray, dim: Dims | int, keepdim: bool, *numbers: Any, given: tuple[Any, ...] = ()
) -> DeviceArray:
    """A program over `dim`; of complex numbers what the CPU's kernel gives for the arguments `given`."""
    if a.dtype.kind == "c":
        return Fallback(kernel)(*(given or (a, dim, keepdim)))
    return over(name, (a,), dim, *numbers, keepdim=keepdim)
