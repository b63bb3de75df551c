"""A seed stands for the same numbers on a CUDA device as on the CPU; the kernels compile for GPUs."""

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.compiler.passes.target import fuses
from specgrad.runtime.kernels.cuda import random
from specgrad.runtime.kernels.cuda.compile import ptx
from specgrad.runtime.kernels.cuda.kernel import Array, Kernel
from specgrad.runtime.kernels.cuda_launch import cpu_fallback
from tests.places import simulated_device

COUNT = 301  # more than the threads of one block where a thread makes eight, or four, or one

DRAWS: dict[str, Callable[[str], Any]] = {
    "randint": lambda d: sg.randint(-5, 1000, (COUNT,), device=d),
    "randint in bytes": lambda d: sg.randint(-5, 100, (COUNT,), dtype=sg.int8, device=d),
    "randint of all": lambda d: sg.randint(-(2**63), 2**63 - 1, (COUNT,), device=d),
    "randperm": lambda d: sg.randperm(COUNT, device=d),
    "bernoulli": lambda d: sg.bernoulli(sg.full((COUNT,), 0.3, device=d)),
    "bernoulli_": lambda d: sg.zeros(COUNT, device=d).bernoulli_(0.3),
    "poisson": lambda d: sg.poisson(sg.arange(float(COUNT), device=d) / 5),
    "gamma": lambda d: sg._standard_gamma(sg.arange(float(COUNT), device=d) / 5),
    "binomial": lambda d: sg.binomial(sg.arange(float(COUNT), device=d), sg.full((COUNT,), 0.4, device=d)),
    "dropout": lambda d: sg.nn.functional.dropout(sg.ones(COUNT, device=d)),
    "geometric_": lambda d: sg.zeros(COUNT, dtype=sg.int64, device=d).geometric_(0.1),
    "multinomial": lambda d: sg.multinomial(sg.ones(COUNT, device=d), 7),
    "normal around tensors": lambda d: sg.normal(sg.zeros(COUNT, device=d), sg.ones(COUNT, device=d)),
    "rand_like": lambda d: sg.rand_like(sg.zeros(3, 5, device=d)),
    "kaiming_uniform_": lambda d: sg.nn.init.kaiming_uniform_(sg.zeros(5, 7, device=d)),
    "trunc_normal_": lambda d: sg.nn.init.trunc_normal_(sg.zeros(5, 7, device=d)),
    "orthogonal_": lambda d: sg.nn.init.orthogonal_(sg.zeros(5, 7, device=d)),
    "sparse_": lambda d: sg.nn.init.sparse_(sg.zeros(5, 7, device=d), 0.3),
}
for name in ("float32", "float64", "float16", "bfloat16", "complex64"):
    kind = getattr(sg, name)
    DRAWS[f"rand in {name}"] = lambda d, k=kind: sg.rand(COUNT, dtype=k, device=d)
    DRAWS[f"randn in {name}"] = lambda d, k=kind: sg.randn(COUNT, dtype=k, device=d)
    DRAWS[f"uniform_ in {name}"] = lambda d, k=kind: sg.zeros(COUNT, dtype=k, device=d).uniform_(-3, 5)
    DRAWS[f"normal_ in {name}"] = lambda d, k=kind: sg.zeros(COUNT, dtype=k, device=d).normal_(-3, 5)
    if name != "complex64":
        DRAWS[f"exponential_ in {name}"] = lambda d, k=kind: sg.zeros(COUNT, dtype=k, device=d).exponential_(2)


@pytest.mark.parametrize("name", DRAWS)
def test_the_same_numbers(name: str) -> None:
    """Also from a place that is no multiple of four; and the next draw begins at the same place.

    A device fuses products and sums. Where the processor does not, normal numbers in float64 differ by their rounding.
    """
    with simulated_device():
        found = []
        for index in ("cpu", "cuda"):
            sg.manual_seed(5)
            sg.rand(3, dtype=sg.float64, device="cpu")
            sampled = DRAWS[name](index)
            assert sampled.device.type == index
            found.append((sampled.cpu(), sg.default_generator.get_state().cpu()))
        (here, next_here), (there, next_there) = found
        rounded = 0 if fuses() or here.dtype is not sg.float64 else 8 * np.finfo(np.float64).eps
        assert sg.allclose(here, there, rtol=rounded, atol=rounded) and sg.equal(next_here, next_there)


def test_no_host_computes() -> None:
    """All draws but permutations run as kernels on the device."""
    with simulated_device():
        before = cpu_fallback.counts.copy()
        sg.rand(9, device="cuda"), sg.randn(9, device="cuda"), sg.randint(9, (9,), device="cuda")
        sg.poisson(sg.ones(9, device="cuda")), sg.zeros(9, device="cuda").exponential_()
        assert not {name for name in cpu_fallback.counts - before if name.startswith("fill_")}


F32, F64 = np.dtype(np.float32), np.dtype(np.float64)
I32, I64 = np.dtype(np.int32), np.dtype(np.int64)
U32, U64 = np.dtype(np.uint32), np.dtype(np.uint64)
COMPILED: list[tuple[Kernel, Any, tuple[Any, ...]]] = [
    (random.UNIFORM[4], F32, ((F32, F32, F32, I32),)),
    (random.UNIFORM[4], ml_dtypes.bfloat16, ((F32, F32, F32, I32),)),
    (random.NORMAL[4], np.float16, ((F32, F32),)),
    (random.NORMAL[8], F64, ((F64, F64),)),
    (random.EXPONENTIAL[4], F32, ((F32,),)),
    (random.INTEGERS, I64, ((I64, U64),)),
    (random.SURVIVORS, np.bool_, ((U32,),)),
    (random.POISSON, F64, (Array(F64),)),
    (random.BINOMIAL, F64, (Array(F64), Array(F64))),
    (random.LOG_GAMMA, F64, (Array(F64),)),
]


@pytest.mark.parametrize(("kernel", "stored", "given"), COMPILED, ids=lambda part: getattr(part, "name", None))
def test_compiles_for_gpus(kernel: Kernel, stored: Any, given: tuple[Any, ...]) -> None:
    """For sm_90: words are multiplied by one instruction for each half, and nothing is called."""
    text = ptx(kernel.make, (Array(np.dtype(stored)), I64, U64, U64, *given), (9, 0))
    assert text.count("mul.hi.u64") >= 19 and "call" not in text and ".local" not in text
