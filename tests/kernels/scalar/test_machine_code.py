"""What the scalar functions are compiled to: packed instructions, and no call of a mathematical library."""

from __future__ import annotations

import functools
import itertools
import math
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from specgrad.runtime.compiler.passes import primitives as scalar_primitives
from specgrad.runtime.compiler.passes.pipelines import Kernel
from specgrad.runtime.compiler.passes.scalar_library import cpu_library, library_of
from specgrad.runtime.compiler.passes.target import scales
from specgrad.runtime.dispatch.elementwise.general import elementwise_ops
from specgrad.runtime.extensions.simulator import rebuild_kernels as kernel_interpreter
from specgrad.runtime.kernels import scalar
from specgrad.runtime.kernels.cuda.compile import ptx, to_cubin
from specgrad.runtime.kernels.cuda.elementwise import element_kernel, element_signature
from specgrad.runtime.kernels.cuda.signature import Array
from tests.kernels.scalar.targets import TARGETS, UNLIKE, Target, assembly, instructions, lowered

UNARY = (
    *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh"),
    *("cosh", "tanh", "asinh", "acosh", "atanh", "sigmoid", "erf", "erfc", "normal_cdf", "normal_pdf", "sqrt", "rsqrt"),
    *("log_odds", "log1p_exp", "log_sigmoid", "erfinv", "lgamma", "i0", "i1e"),
    *("bessel_j1", "bessel_y0", "modified_bessel_k0", "scaled_modified_bessel_k1"),
)
BINARY = ("pow", "hypot", "atan2")
WIDE = (
    "sin",
    "cos",
    "tan",
    "erfc",
    "erfinv",
    "lgamma",
    "pow",
    "bessel_j1",
    "bessel_y0",
)  # computed in float64 for arguments in float32 too
LIBRARY = re.compile(rf"\b({'|'.join((*UNARY, *BINARY, 'fma', 'fmod', 'ldexp'))})f?\b")
# Arithmetic on several numbers at once, in single and in double precision.
PACKED = {
    "x86_64": (r"\bv?(?:add|mul|sqrt|fn?m\w+)ps\s", r"\bv?(?:add|mul|sqrt|fn?m\w+)pd\s"),
    "aarch64": (r"\bf(?:m|add|sqrt)\w*\s+(?:v\d+\.[24]s|z\d+\.s)", r"\bf(?:m|add|sqrt)\w*\s+(?:v\d+\.2d|z\d+\.d)"),
}


def loop_over(function: Any, arguments: int, **options: Any) -> Any:
    """A dispatcher of numba's for a loop over arrays that calls the function."""
    from numba import njit

    def unary(x: Any, result: Any) -> None:
        for i in range(result.size):
            result[i] = function(x[i])

    def binary(x: Any, y: Any, result: Any) -> None:
        for i in range(result.size):
            result[i] = function(x[i], y[i])

    return njit(error_model="numpy", **options)(unary if arguments == 1 else binary)


@functools.cache
def library(fuses: bool, scales: bool, linked: bool = False) -> Any:
    """The functions for one kind of processor: what several call is compiled once."""
    return library_of(False, fuses, scales, linked)


def signature(dtype: type, arguments: int) -> Any:
    """Of the loop: contiguous arrays."""
    from numba import from_dtype, types

    return (types.Array(from_dtype(np.dtype(dtype)), 1, "C"),) * (arguments + 1)


def called(instructions: list[str]) -> set[str]:
    """The functions of a mathematical library that are called; a far one has its address in a register before."""
    calls = [line for line in instructions if re.search(r"\$|\bcall|\bjmp\b|\bbl?\b|:lo12:", line)]
    return {match.group() for line in calls for match in LIBRARY.finditer(line)}


def packed(instructions: list[str], architecture: str) -> tuple[int, ...]:
    """How many packed instructions there are in single and in double precision."""
    return tuple(len(re.findall(pattern, "\n".join(instructions))) for pattern in PACKED[architecture])


def requested(name: str, dtype: type, target: Target) -> int:
    """How many packed instructions there are at least; two roots at once take SSE as long as one after the other."""
    if name not in ("sqrt", "rsqrt"):
        return 4
    return 0 if dtype is np.float64 and target.name == "x86-64-v2" else 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_loops_are_vectorised(name: str, dtype: type) -> None:
    """For processors that differ: packed arithmetic, and no call of the library's function.

    In double precision only where it should be: in `WIDE` functions, and where nothing else fuses products and sums.
    """
    arguments = 2 if name in BINARY else 1
    for kind in sorted({target.kind() for target in UNLIKE}):
        loop = loop_over(library(*kind, linked=True).get(name), arguments, pipeline_class=Kernel)
        text = lowered(loop, signature(dtype, arguments))
        for target in (target for target in UNLIKE if target.kind() == kind):
            instructions = assembly(text, "ary", target)
            single, double = packed(instructions, target.architecture)
            assert not called(instructions), target
            assert single + double >= requested(name, dtype, target), target
            assert not double or dtype is np.float64 or name in WIDE or not target.fuses(), target


@pytest.mark.parametrize("target", [target for target in TARGETS if target.scales()], ids=lambda target: target.name)
def test_kernels_use_the_widest_vectors(target: Target) -> None:
    """Registers of 512 bits in every kernel, whatever LLVM prefers for the processor, and one instruction for x 2^k."""
    from numba import njit

    exp = loop_over(library(*target.kind()).get("exp"), 1).py_func
    wide = njit(error_model="numpy", pipeline_class=Kernel)(exp)
    found = "\n".join(assembly(lowered(wide, signature(np.float32, 1)), "ary", target))
    assert "zmm" in found and "vscalefps" in found


@pytest.mark.skipif(not scales(), reason="the processor has no instruction for x 2^k")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["exp", "exp2", "expm1", "sinh", "cosh", "erfc", "normal_cdf", "pow"])
def test_scaling_by_one_instruction_changes_no_bit(name: str, dtype: type) -> None:
    """Results that overflow, underflow or are no numbers among them."""
    rng, arguments = np.random.default_rng(0), 2 if name in BINARY else 1
    random = rng.integers(0, 256, 8 * 40_000, np.uint8).view(dtype)
    given = [np.concatenate([random, np.linspace(-760, 760, 40_000).astype(dtype)]) for _ in range(arguments)]
    results = [np.empty_like(given[0]) for _ in range(2)]
    for k, result in enumerate(results):
        loop_over(library(True, bool(k)).get(name), arguments)(*given, result)
    np.testing.assert_array_equal(*results)


@pytest.mark.parametrize("name", ["expm1", "pow"])  # without tables, for which numba alone makes no vectors
def test_named_processors_are_compiled_for_as_numba_does(name: str) -> None:
    """For the processor that numba compiles for itself the test above judges the instructions that numba makes."""
    from numba.core.registry import cpu_target

    own = Target(*cpu_target.target_context.codegen().magic_tuple())
    loop, arguments = loop_over(cpu_library(False).get(name), 2 if name in BINARY else 1), 2 if name in BINARY else 1
    found = assembly(lowered(loop, signature(np.float64, arguments)), "ary", own)
    loop.compile(signature(np.float64, arguments))
    made = instructions(loop.inspect_asm(loop.signatures[0]))
    assert packed(found, own.architecture) == packed(made, own.architecture) != (0, 0)


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_a_call_of_the_library_is_seen(target: Target) -> None:
    """The test above would find a function that is left to the library: its loop is not vectorised."""
    from numba import njit

    text = lowered(loop_over(njit(lambda x: math.sin(x)), 1), signature(np.float64, 1))
    found = assembly(text, "ary", target)
    assert called(found) == {"sin"} and packed(found, target.architecture) == (0, 0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_plain_python_is_the_same(name: str, dtype: type) -> None:
    """On NumPy scalars, as in the CUDA simulator, a function gives what it gives compiled, nearly to the last bit.

    Both fuse products and sums, with or without an instruction for that: a GPU has one.
    """
    compiled = library(True, scales()).get(name)
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.uniform(-20, 20, 60), rng.uniform(-1, 1, 20), 10.0 ** rng.uniform(-30, 30, 20)])
    for arguments in np.array([points, points[::-1]][: 2 if name in BINARY else 1]).astype(dtype).T:
        with np.errstate(all="ignore"):
            found = getattr(scalar, name)(*arguments)
        requested = dtype(compiled(*arguments))
        assert type(found) is dtype
        assert (
            found == requested
            or abs(found - requested) <= 2 * np.spacing(abs(requested))
            or (found != found and requested != requested)
        )


def test_fma_of_simulated_threads() -> None:
    """By C's library: the numbers that fractions give, and its own where a result is none."""
    values = [0.1, -3.0, 1 + 2.0**-52, 1e300, 1e-300, 5e-324, 0.0, -0.0, np.inf, np.nan]
    with np.errstate(all="ignore"):
        for x, y, z in itertools.product(map(np.float64, values), values, values):
            found, expected = kernel_interpreter.fma(x, y, z), scalar_primitives.fma(x, y, z)
            if np.isfinite(expected):
                assert found.tobytes() == expected.tobytes() and type(found) is np.float64
    assert kernel_interpreter.fma(np.float32(0.1), np.float32(3), np.float32(1)).dtype == np.float32


def test_fma_rounds_once() -> None:
    """Compiled it is exact to the last bit, where a product and a sum would give zero."""
    x, y = 1.0 + 2.0**-30, 1.0 - 2.0**-30
    lost = Fraction(x) * Fraction(y) - Fraction(x * y)
    from numba import njit

    assert lost == Fraction(float(scalar_primitives.fma(np.float64(x), y, -(x * y))))
    for fuses in (True, False):
        fma = library_of(False, fuses).compiler.primitives["fma"]
        assert Fraction(njit(lambda x, y: fma(x, y, -(x * y)))(x, y)) == lost  # noqa: B023


@pytest.mark.parametrize("op", ["sin", "pow_tensor_tensor", "erfc", "log10", "atan2", "gelu_erf"])
def test_compiles_for_cuda_in_double_precision(op: str) -> None:
    """The same functions are machine code of the device, without calls of its library."""
    double = np.dtype(np.float64)
    operands = (Array(double),) * (2 if op in ("pow_tensor_tensor", "atan2") else 1)
    kernel = element_kernel(
        "specgrad.generated", elementwise_ops[op].kernels.family, f"{op}_forward", double, (False,) * len(operands)
    )
    text = ptx(kernel.make, element_signature(operands, (Array(double),), 0))
    assert "fma.rn.f64" in text and "call" not in text and "__nv_" not in text
    assert to_cubin(text).code[:4] == b"\x7fELF"
