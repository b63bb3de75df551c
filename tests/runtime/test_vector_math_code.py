"""What the scalar functions are compiled to: packed instructions, and no call of a mathematical library."""

from __future__ import annotations

import math
import platform
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from specgrad.runtime.kernels import scalar, scalar_primitives
from specgrad.runtime.kernels.compile import cpu_library
from specgrad.runtime.kernels.cuda.compile import to_cubin, to_ptx

UNARY = (
    *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh"),
    *("cosh", "tanh", "asinh", "acosh", "atanh", "sigmoid", "erf", "erfc", "normal_cdf", "normal_pdf", "sqrt", "rsqrt"),
)
BINARY = ("pow", "hypot", "atan2")
WIDE = ("sin", "cos", "tan", "erfc", "pow")  # computed in float64 also where the arguments are float32
LIBRARY = re.compile(rf"\b({'|'.join((*UNARY, *BINARY, 'fma', 'fmod', 'ldexp'))})f?\b")
# Arithmetic on several numbers at once, in single and in double precision.
PACKED = {
    "x86_64": (r"\bv?(?:add|mul|sqrt|fn?m\w+)ps\s", r"\bv?(?:add|mul|sqrt|fn?m\w+)pd\s"),
    "aarch64": (r"\bf(?:m|add|sqrt)\w*\s+v\d+\.[24]s", r"\bf(?:m|add|sqrt)\w*\s+v\d+\.2d"),
}
MACHINE = {"AMD64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())


def assembly(function: Any, dtype: type, arguments: int = 1) -> list[str]:
    """The instructions of a loop over arrays that calls the function."""
    from numba import njit

    def unary(x: Any, result: Any) -> None:
        for i in range(result.size):
            result[i] = function(x[i])

    def binary(x: Any, y: Any, result: Any) -> None:
        for i in range(result.size):
            result[i] = function(x[i], y[i])

    kernel = njit(error_model="numpy")(unary if arguments == 1 else binary)
    kernel(*[np.ones(2, dtype)] * (arguments + 1))
    lines = kernel.inspect_asm(kernel.signatures[0]).splitlines()
    return [line.split("#")[0] for line in lines if not line.lstrip().startswith((".", "#"))]


def called(instructions: list[str]) -> set[str]:
    """The functions of a mathematical library that are called; a far one has its address in a register before."""
    calls = [line for line in instructions if re.search(r"\$|\bcall|\bbl\b|:lo12:", line)]
    return {match.group() for line in calls for match in LIBRARY.finditer(line)}


def packed(instructions: list[str]) -> tuple[int, ...]:
    """How many packed instructions there are in single and in double precision."""
    return tuple(len(re.findall(pattern, "\n".join(instructions))) for pattern in PACKED[MACHINE])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_loops_are_vectorised(name: str, dtype: type) -> None:
    """Packed arithmetic, in double precision only where it should be, and no call of the library's function."""
    instructions = assembly(cpu_library(False).get(name), dtype, 2 if name in BINARY else 1)
    single, double = packed(instructions)
    assert not called(instructions)
    assert single + double >= (1 if name in ("sqrt", "rsqrt") else 4)
    assert not double or dtype is np.float64 or name in WIDE


def test_a_call_of_the_library_is_seen() -> None:
    """The test above would find a function that is left to the library: its loop is not vectorised."""
    from numba import njit

    instructions = assembly(njit(lambda x: math.sin(x)), np.float64)
    assert called(instructions) == {"sin"} and packed(instructions) == (0, 0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_plain_python_is_the_same(name: str, dtype: type) -> None:
    """On NumPy scalars, as in the CUDA simulator, a function gives what it gives compiled, nearly to the last bit."""
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.uniform(-20, 20, 60), rng.uniform(-1, 1, 20), 10.0 ** rng.uniform(-30, 30, 20)])
    for arguments in np.array([points, points[::-1]][: 2 if name in BINARY else 1]).astype(dtype).T:
        with np.errstate(all="ignore"):
            found = getattr(scalar, name)(*arguments)
        wanted = dtype(cpu_library(False).get(name)(*arguments))
        assert type(found) is dtype
        assert (
            found == wanted
            or abs(found - wanted) <= 2 * np.spacing(abs(wanted))
            or (found != found and wanted != wanted)
        )


def test_fma_rounds_once() -> None:
    """Compiled it is exact to the last bit, where a product and a sum would give zero."""
    x, y = 1.0 + 2.0**-30, 1.0 - 2.0**-30
    lost = Fraction(x) * Fraction(y) - Fraction(x * y)
    from numba import njit

    fma = cpu_library(False).compiler.given["fma"]
    compiled = njit(lambda x, y: fma(x, y, -(x * y)))
    assert Fraction(compiled(x, y)) == lost == Fraction(float(scalar_primitives.fma(np.float64(x), y, -(x * y))))


@pytest.mark.parametrize("op", ["sin", "pow_tensor_tensor", "erfc", "log10", "atan2", "gelu_erf"])
def test_compiles_for_cuda_in_double_precision(op: str) -> None:
    """The same functions are machine code of the device, without calls of its library."""
    arguments = [np.dtype(np.float64)] * (3 if op in ("pow_tensor_tensor", "atan2") else 2)
    ptx = to_ptx("specgrad.generated", op, "forward", tuple(arguments))
    assert "fma.rn.f64" in ptx and "call" not in ptx and "__nv_" not in ptx
    assert to_cubin(ptx)[:4] == b"\x7fELF"
