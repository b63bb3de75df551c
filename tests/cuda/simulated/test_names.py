"""What kernels name of `cuda` exists in the simulator."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import reduce
from pathlib import Path

import numba.cuda
import pytest

from specgrad.runtime.cuda.simulated import cuda
from tests.repository import ROOT

FILES = sorted([*ROOT.glob("generated/kernels/cuda/*.py"), *ROOT.glob("runtime/ops/*/cuda*.py")])


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
        reduce(getattr, name.split(".")[1:], cuda)
    except AttributeError:
        return False
    return True


def test_names_are_found() -> None:
    """The test below looks at something, and would find a name that does not exist."""
    source = "def kernel(x):\n    s = cuda.shared.array(3, int)\n    s[cuda.threadIdx.x] = cuda.shared.vector(x.size)"
    assert sorted(named(source)) == ["cuda.shared.array", "cuda.shared.vector", "cuda.threadIdx.x"]
    assert [name for name in named(source) if not exists(name)] == ["cuda.shared.vector"]
    assert sum("cuda.grid" in named(path.read_text(encoding="utf-8")) for path in FILES) > 100


def test_the_compiler_has_what_the_simulator_offers() -> None:
    """All names but those of launches, so a kernel that runs here can be compiled."""
    own = {"kernel", "launch", "order", "seed", "timeline", "where"}
    offered = {name for name in dir(cuda) if not name.startswith("_")} - own
    assert {name for name in offered if not hasattr(numba.cuda, name)} == set()
    assert {name for name in dir(cuda.atomic) if name[0] != "_" and not hasattr(numba.cuda.atomic, name)} == set()
    assert {"syncthreads", "shared", "shfl_xor_sync"} <= offered


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_kernels_name_what_the_simulator_has(path: Path) -> None:
    """Another name of numba's would compile, and could not be tested without a GPU."""
    assert [name for name in named(path.read_text(encoding="utf-8")) if not exists(name)] == []
