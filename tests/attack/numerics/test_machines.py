"""The same kernels on other processors: those that this one can stand for are run, and any can be compiled for."""

from __future__ import annotations

import ast
import functools
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from llvmlite import binding
from numba import njit, types

from specgrad.runtime.compiler.passes.pipelines import NoAlias
from specgrad.runtime.compiler.passes.scalar_library import library_of, rebuilt
from specgrad.runtime.compiler.passes.target import fuses, scales
from specgrad.runtime.dispatch.elementwise.general import elementwise_ops
from tests.attack.amount import SEED, amount
from tests.kernels.scalar.targets import TARGETS, Target, assembly, lowered
from tests.kernels.scalar.test_machine_code import BINARY, UNARY, called, loop_over, packed
from tests.kernels.scalar.test_vectorized import all_binades, special_points
from tests.patience import PATIENCE
from tests.repository import ROOT

KERNELS = sorted(elementwise_ops)
CHUNKS = amount(1, 8)
# What a level of x86-64 has that the one before has not, as far as the host's list of features names it.
LEVELS = {
    "x86-64-v2": ("sse4.2", "ssse3", "popcnt"),
    "x86-64-v3": ("avx2", "fma", "bmi", "bmi2", "f16c", "lzcnt", "movbe"),
    "x86-64-v4": ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"),
}
CHILD = "import sys; from tests.attack.numerics.test_machines import compute; compute(*sys.argv[1:])"


def levels() -> list[str]:
    """The levels that this processor has."""
    has = binding.get_host_cpu_features()
    return [name for name, requested in LEVELS.items() if all(has.get(feature) for feature in requested)]


def sampled(objects: list[Any], count: int, *seed: object) -> list[Any]:
    """Some of the things, or all of them where `count` is as large."""
    return random.Random(repr((SEED, *seed))).sample(objects, min(count, len(objects)))


def points(dtype: str, arguments: int) -> list[np.ndarray]:
    """Special numbers, random bits, and numbers of ordinary size; of two arguments in another order each."""
    rng, kind = np.random.default_rng(SEED), np.dtype(dtype).type
    size = amount(3000, 100_000)
    some = np.concatenate([special_points(kind), all_binades(kind, size, SEED), rng.normal(0, 9, size).astype(kind)])
    return [some, rng.permutation(some)][:arguments]


def compute(path: str, names: str, fused: str = "") -> None:
    """Write what functions give: as this processor computes them, or as one that fuses products and sums."""
    library = library_of(False, bool(fused) or fuses(), scales())
    found = {}
    for name in names.split(","):
        for dtype in ("float32", "float64"):
            given = points(dtype, 2 if name in BINARY else 1)
            found[f"{name}_{dtype}"] = result = np.empty_like(given[0])
            loop_over(library.get(name), len(given))(*given, result)
    np.savez(path, **found, fuses=np.array(fuses()))


def distance(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """How many numbers lie between two, each counted with its sign; two nans are one number, and so are two zeros."""
    kind = np.int32 if x.dtype == np.float32 else np.int64
    x, y = (np.where(np.isnan(a), a.dtype.type(np.nan), a) for a in (x, y))
    x, y = (np.where(b < 0, np.iinfo(kind).min - b, b).astype(object) for b in (x.view(kind), y.view(kind)))
    return np.abs(x - y)


@pytest.mark.parametrize("chunk", range(CHUNKS))
@pytest.mark.parametrize("level", levels())
def test_other_processors_agree(level: str, chunk: int, tmp_path: Path, figures: Callable[..., None]) -> None:
    """The same bits where products and sums are fused; elsewhere numbers at most two away."""
    names = sampled(sorted((*UNARY, *BINARY))[chunk::CHUNKS], amount(2, 99), level)
    theirs, ours = tmp_path / "theirs.npz", tmp_path / "ours.npz"
    environment = {**os.environ, "NUMBA_CPU_NAME": level, "NUMBA_CPU_FEATURES": ""}
    command = [sys.executable, "-c", CHILD, str(theirs), ",".join(names)]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, timeout=PATIENCE)
    compute(str(ours), ",".join(names), "fused")
    found, requested = np.load(theirs), np.load(ours)
    for name in requested.files[:-1]:
        separate = distance(found[name], requested[name])
        k = int(np.argmax(separate))
        message = f"seed {SEED}, {level}, {name}, point {k}: {found[name][k]!r}, not {requested[name][k]!r}"
        assert separate[k] <= (0 if found["fuses"] else 2), message
    figures(
        "other processors", functions=len(names), results=sum(requested[name].size for name in requested.files[:-1])
    )


def belongs(function: str, kernel: str) -> bool:
    return function.removeprefix(f"{kernel}_").startswith(("forward", "backward_"))


@functools.cache
def functions_of(kernel: str) -> list[tuple[str, tuple[str, ...], set[str]]]:
    """The functions of a generated file: name, parameters, and which of these are arrays."""
    family = elementwise_ops[kernel].kernels.family
    tree = ast.parse((ROOT / "generated" / "kernels" / "cpu" / f"{family}.py").read_text(encoding="utf-8"))
    found = []
    for node in (node for node in tree.body if isinstance(node, ast.FunctionDef) and belongs(node.name, kernel)):
        indexed = {n.value.id for n in ast.walk(node) if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name)}
        found.append((node.name, tuple(a.arg for a in node.args.args), indexed))
    return found


def source_of(
    kernel: str, function: str, parameters: tuple[str, ...], arrays: set[str], machine: tuple[bool, bool]
) -> str:
    """LLVM's text of a kernel of float32, or of int64 where it is one of integers."""
    written = elementwise_ops[kernel].kernels.written(function.removeprefix(f"{kernel}_"))
    copy = rebuilt(written, library_of(False, *machine, linked=True).used_by(written))
    copy.__qualname__ = f"{function}_of_kernel"
    kind = types.int64 if kernel.startswith("bitwise") else types.float32
    signature = tuple(types.Array(kind, 1, "C") if p in arrays else kind for p in parameters)
    return lowered(njit(error_model="numpy", pipeline_class=NoAlias)(copy), signature)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_no_processor_is_left_to_a_library(chunk: int, figures: Callable[..., None]) -> None:
    """What generated kernels compute by themselves for one processor, they do for all."""
    compiled = vectorised = 0
    for kernel in sampled(KERNELS[chunk::CHUNKS], amount(4, 999), chunk):
        for name, parameters, arrays in functions_of(kernel):
            kinds = {target.kind() for target in TARGETS}
            sources = {kind: source_of(kernel, name, parameters, arrays, kind) for kind in kinds}
            made = {t: assembly(sources[t.kind()], f"{name}_of_kernel", t) for t in TARGETS}
            calls = {target.name: called(lines) for target, lines in made.items()}
            assert len({frozenset(found) for found in calls.values()}) == 1, (SEED, kernel, name, calls)
            compiled += len(made)
            vectorised += sum(any(packed(lines, target.architecture)) for target, lines in made.items())
    figures("kernels for named processors", compiled=compiled, with_packed_arithmetic=vectorised)


def test_processors_that_do_not_fuse_are_among_them() -> None:
    """The attack above sees both kinds."""
    assert {Target.fuses(target) for target in TARGETS} == {True, False}
