"""Arrays of a device filled with random numbers, as `kernels/cpu/random.py`. A draw begins at word `offset` of the
stream of `seed`; in captures `seed` is memory that holds the seed and the first word of a replay. What memory of
another dtype holds is rounded or cut as it is stored."""

from typing import Any

import numpy as np

from ...device.cuda import graph_capture
from ...device.cuda.array import DeviceArray
from ...device.cuda.dry_run import beyond_launches
from ...device.cuda.graph import position
from ..cpu import random as host
from ..cuda import random as kernels
from ..cuda.kernel import Kernel
from .arrays import copy, empty, is_long
from .launch import launch
from .sort_and_scan import sort_into

UINT64 = np.dtype(np.uint64)

__all__ = ["position"]  # by the name that `ops/creation/random.py` asks for


def fill_random_bits(flat: DeviceArray, seed: Any, offset: int) -> None:
    _fill(kernels.RANDOM_BITS, 4, flat, seed, offset, ())


def fill_uniform(flat: DeviceArray, seed: Any, offset: int, low: float, width: float, top: float, mask: int) -> None:
    kind = _computed(flat)
    limits = (kind(low), kind(width), kind(top))
    numbers = limits if kind is np.float64 else (*limits, np.int32(mask))
    _fill_floats(kernels.UNIFORM, flat, seed, offset, numbers)


def fill_normal(flat: DeviceArray, seed: Any, offset: int, mean: float, std: float) -> None:
    kind = _computed(flat)
    _fill_floats(kernels.NORMAL, flat, seed, offset, (kind(mean), kind(std)))


def fill_exponential(flat: DeviceArray, seed: Any, offset: int, scale: float) -> None:
    _fill_floats(kernels.EXPONENTIAL, flat, seed, offset, (_computed(flat)(scale),))


def fill_integers(flat: DeviceArray, seed: Any, offset: int, low: int, high: int) -> None:
    numbers = (np.int64(low), np.uint64((high - low) % 2**64))
    _fill(kernels.INTEGERS, 4, flat, seed, offset, numbers)


def fill_trials(flat: DeviceArray, seed: Any, offset: int, chance: float) -> None:
    _fill(kernels.TRIALS, 4, flat, seed, offset, (np.float64(chance),))


def fill_survivors(flat: DeviceArray, seed: Any, offset: int, loss: float) -> None:
    _fill(kernels.SURVIVORS, 8, flat, seed, offset, (np.uint32(host.threshold(loss)),))


def fill_poisson(flat: DeviceArray, seed: Any, offset: int, rates: DeviceArray) -> None:
    _count(kernels.POISSON, flat, seed, offset, rates)


def fill_binomial(flat: DeviceArray, seed: Any, offset: int, counts: DeviceArray, chances: DeviceArray) -> None:
    _count(kernels.BINOMIAL, flat, seed, offset, counts, chances)


def fill_log_gamma(flat: DeviceArray, seed: Any, offset: int, shapes: DeviceArray) -> None:
    _count(kernels.LOG_GAMMA, flat, seed, offset, shapes)


def fill_permutation(flat: DeviceArray, seed: Any, offset: int) -> None:
    if is_long(flat):
        graph_capture.refuse(flat.device.index, "is computed on the CPU (a simulated device sorts few elements)")
        order = np.empty(flat.size, np.int64)
        host.fill_permutation(order, seed, offset)
        copy(flat, order)
    else:
        random_bits = empty((flat.size,), UINT64, flat.device)
        fill_random_bits(random_bits, seed, offset)
        sort_into((flat,), random_bits, (1, flat.size, 1), (0, flat.size), False)


def _computed(flat: DeviceArray) -> Any:
    return np.float64 if flat.itemsize == 8 else np.float32


def _fill_floats(
    variants: dict[int, Kernel], flat: DeviceArray, seed: Any, offset: int, numbers: tuple[Any, ...]
) -> None:
    size = 8 if flat.itemsize == 8 else 4
    _fill(variants[size], 32 // size, flat, seed, offset, numbers)


def _fill(kernel: Kernel, per_thread: int, flat: DeviceArray, seed: Any, offset: int, numbers: tuple[Any, ...]) -> None:
    if flat.size:
        before = (3 if isinstance(seed, DeviceArray) else offset % 4) * (per_thread // 4)
        threads = -(-(flat.size + before) // per_thread)
        _launch(kernel, threads, flat, seed, offset, numbers)


def _count(kernel: Kernel, flat: DeviceArray, seed: Any, offset: int, *args: DeviceArray) -> None:
    if flat.size:
        _launch(kernel, flat.size, flat, seed, offset, *args)


def _launch(kernel: Kernel, threads: int, flat: DeviceArray, seed: Any, offset: int, *args: Any) -> None:
    key = seed if isinstance(seed, DeviceArray) else np.uint64(seed % 2**64)
    blocks = -(-threads // kernels.THREADS)
    beyond_launches()  # the next ones begin elsewhere
    launch(kernel, blocks, kernels.THREADS, flat, np.int64(flat.size), key, np.uint64(offset), *args)
