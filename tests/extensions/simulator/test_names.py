"""What kernels name of `cuda` exists in the simulator."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import reduce
from pathlib import Path

import numba.cuda
import pytest

from specgrad.runtime.extensions.simulator import SimulatedCuda
from tests.repository import ROOT


def of_kernels(path: Path) -> bool:
    """Whether a module imports `cuda` from the vocabulary of kernels."""
    text = path.read_text(encoding="utf-8")
    nodes = ast.walk(ast.parse(text)) if "language" in text else ()
    imports = (n for n in nodes if isinstance(n, ast.ImportFrom))
    return any((n.module or "").endswith("language") and "cuda" in {a.name for a in n.names} for n in imports)


SIMULATED = SimulatedCuda()
FILES = [
    path
    for capacity in ("generated", "runtime")
    for path in sorted((ROOT / capacity).rglob("*.py"))
    if of_kernels(path)
]


def named(source: str) -> Iterator[str]:
    """The dotted names that begin with `cuda`: `cuda.shared.array` and not `cuda.shared` besides."""
    tree = ast.parse(source)
    inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and id(node) not in inner:
            text = ast.unparse(node)
            if text.startswith("cuda."):
                yield text


def exists(name: str) -> bool:
    try:
        reduce(getattr, name.split(".")[1:], SIMULATED)
    except AttributeError:
        return False
    return True


def test_names_are_found() -> None:
    """The test below looks at something, and would find a name that does not exist."""
    source = "def kernel(x):\n    s = cuda.shared.array(3, int)\n    s[cuda.threadIdx.x] = cuda.shared.vector(x.size)"
    assert sorted(named(source)) == ["cuda.shared.array", "cuda.shared.vector", "cuda.threadIdx.x"]
    assert [name for name in named(source) if not exists(name)] == ["cuda.shared.vector"]
    assert ROOT / "runtime/kernels/cuda/elementwise.py" in FILES


def test_the_compiler_has_what_the_simulator_offers() -> None:
    """All names but those of launches, so a kernel that runs here can be compiled."""
    own = {"kernel", "launch", "order", "reached", "seed", "timeline", "where"}
    own |= {"array_at"}  # which kernels name without `cuda`: the compiler has an intrinsic of ours
    offered = {name for name in dir(SIMULATED) if not name.startswith("_")} - own
    assert {name for name in offered if not hasattr(numba.cuda, name)} == set()
    operations = {name for name in dir(SIMULATED.atomic) if not name.startswith("_")}
    assert {name for name in operations if not hasattr(numba.cuda.atomic, name)} == set()
    assert {"syncthreads", "shared", "shfl_xor_sync"} <= offered


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_kernels_name_what_the_simulator_has(path: Path) -> None:
    """Another name of numba's would compile, and could not be tested without a GPU."""
    assert [name for name in named(path.read_text(encoding="utf-8")) if not exists(name)] == []
