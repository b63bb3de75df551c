"""Functions of one 16-bit float by table: the bits that are computed without one."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import specgrad as sg
from specgrad.generated import kernels
from specgrad.nn import functional as F
from tests.patience import PATIENCE
from tests.repository import ROOT

FUNCTIONS: list[Callable[[sg.Tensor], sg.Tensor]] = [sg.exp, sg.tanh, F.gelu, sg.log, sg.sqrt, sg.erfinv]


def all_numbers(dtype: sg.dtype) -> sg.Tensor:
    """Every number of 16 bits."""
    return sg.tensor(np.arange(1 << 16, dtype=np.uint16).view(np.int16)).view(dtype)


def bits(t: sg.Tensor) -> np.ndarray:
    """The bits of the results."""
    return t.view(sg.int16).numpy()


@pytest.mark.parametrize("dtype", [sg.bfloat16, sg.float16])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_table_has_the_bits_that_are_computed(function: Callable[[sg.Tensor], sg.Tensor], dtype: sg.dtype) -> None:
    """Few numbers at a time, all that there are, and again; against float32, rounded."""
    x = all_numbers(dtype)
    parts = np.concatenate([bits(function(x[i : i + 999])) for i in range(0, 20_000, 999)])
    once, again = bits(function(x)), bits(function(x))
    np.testing.assert_array_equal(parts, once[: len(parts)])
    np.testing.assert_array_equal(once, again)
    alone = function(x.float()).to(dtype)
    there = ~alone.isnan().numpy()
    np.testing.assert_array_equal(once[there], bits(alone)[there])
    assert function(x).isnan().numpy()[~there].all()


def test_threads_may_fill_a_table_at_once() -> None:
    """And each finds what it needs."""
    x, found = all_numbers(sg.bfloat16), []
    threads = [threading.Thread(target=lambda: found.append(bits(sg.asinh(x)).tobytes())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1 and len(found) == 4


def test_short_functions_have_none() -> None:
    """What is a few instructions takes less time than looking it up."""
    assert kernels.RELU.kernels.of_halves("forward") is kernels.RELU.kernels.forward
    assert kernels.EXP.kernels.of_halves("forward") is not kernels.EXP.kernels.forward


COMPILED_APART = """
import itertools, sys
import specgrad as sg
from numba.core.bytecode import FunctionIdentity

x = sg.tensor([0.25, 0.5, 0.75], dtype=sg.bfloat16)
if sys.argv[1] == "compile":
    sg.exp(x)  # what all kernels need is loaded
    FunctionIdentity._unique_ids = itertools.count(100_000)
    getattr(sg, sys.argv[2])(x)
else:
    print(all(sg.equal(getattr(sg, name)(x), getattr(sg, name)(x.float()).bfloat16()) for name in sys.argv[2:]))
"""


def test_kernels_of_several_processes(tmp_path: Path) -> None:
    """Symbols that numba numbers alike in two processes stay apart in a third one, which loads both.

    Before, `sin` of a 16-bit float computed `log` where other processes had compiled them at the same number.
    """

    def run(*arguments: str) -> str:
        command = [sys.executable, "-c", COMPILED_APART, *arguments]
        environment = {**os.environ, "SPECGRAD_CACHE_DIR": str(tmp_path)}
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True, timeout=PATIENCE
        )
        return done.stdout.strip()

    for name in ("log", "sin", "cos"):
        run("compile", name)
    assert run("load", "log", "sin", "cos") == run("load", "cos", "log", "sin") == "True"
