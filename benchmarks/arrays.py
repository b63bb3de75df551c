"""Some workloads of the overhead group for libraries that differentiate functions of NumPy's API: JAX and autograd.

A workload is a function of a NumPy-like module that returns a loss of a list of arrays, and the shapes of these. JAX is
timed without `jit`, op by op, as the other libraries run.
"""

import importlib
from collections.abc import Callable
from types import ModuleType

import numpy

Loss = tuple[Callable, tuple[tuple[int, ...], ...]]
ARRAYS: dict[str, Callable[[ModuleType], Loss]] = {}
NUMPY = {"jax": "jax.numpy", "autograd": "autograd.numpy"}


def gradient_of(library: str, name: str) -> Callable[[], object]:
    """The function to time: the gradient of a workload's loss by all of its arrays."""
    np = importlib.import_module(NUMPY[library])
    grad = importlib.import_module(library).grad
    loss, shapes = ARRAYS[name](np)
    rng = numpy.random.default_rng(0)
    inputs = [np.array(rng.standard_normal(shape), dtype=numpy.float32) for shape in shapes]
    if library == "jax":
        block = importlib.import_module("jax").block_until_ready
        return lambda: block(grad(loss)(inputs))
    return lambda: grad(loss)(inputs)


def arrays(make: Callable[[ModuleType], Loss]) -> Callable[[ModuleType], Loss]:
    """Register a workload under its function's name, that of its twin in workloads/overhead.py."""
    ARRAYS[make.__name__] = make
    return make


@arrays
def mul_sum_64(np):
    return lambda x: np.sum(x[0] * x[1]), ((64,), (64,))


@arrays
def tanh_chain_20(np):
    def loss(x):
        y = x[0]
        for _ in range(20):
            y = np.tanh(y)
        return np.sum(y)

    return loss, ((64,),)


@arrays
def broadcast_64x64(np):
    return lambda x: np.mean((x[0] + x[1]) ** 2), ((64, 1), (1, 64))


@arrays
def matmul_64(np):
    return lambda x: np.sum(np.dot(x[0], x[1])), ((64, 64), (64, 64))


@arrays
def bias_add(np):
    return lambda x: np.sum(x[0] + x[1]), ((16, 64), (64,))


@arrays
def recurrent_10(np):
    def loss(x):
        state = x[1]
        for _ in range(10):
            state = np.tanh(np.dot(x[0], x[2]) + np.dot(state, x[3]))
        return np.sum(state)

    return loss, ((8, 32), (8, 32), (32, 32), (32, 32))
