"""Who computes an op on a CUDA device: found as the runtime finds it, by the name of the kernel for the CPU."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from ..rows.language import Program
from .homes import Part
from .modules import offered_nodes, statements_of

LIBRARIES = "cuda.libraries"  # the room of cuBLAS, cuFFT and cuSOLVER, as modules import from it


def files_beside(file: Path) -> Iterator[Path]:
    """The files that may hold the kernels for CUDA that go with those of a file; see runtime/cuda/fallback.py."""
    for name in dict.fromkeys((file.name.replace("cpu", "cuda"), "cuda.py")):
        result = file.with_name(name)
        if result != file and result.is_file():
            yield result


def on_cuda(kernel: Part) -> str:
    """`kernel`, `library` or `host`, for a kernel written by hand."""
    for file in files_beside(kernel.file):
        if kernel.name in dict(offered_nodes(file)):
            return "library" if uses_libraries(file) else "kernel"
    return "host"


def programs_named(kernel: Part, programs: Iterable[Program]) -> tuple[Program, ...]:
    """The row programs that the kernel of a device names, by itself or by what it calls and reads in its module."""
    known = {program.name: program for program in programs}
    for file in files_beside(kernel.file):
        nodes = dict(offered_nodes(file))
        if kernel.name in nodes:
            return tuple(known[word] for word in dict.fromkeys(kernel_names_in(kernel.name, nodes)) if word in known)
    return ()


def kernel_names_in(name: str, nodes: Mapping[str, ast.stmt], seen: set[str] | None = None) -> Iterator[str]:
    """The strings of a definition, and of those of the module that it names."""
    seen = set() if seen is None else seen
    seen.add(name)
    for node in ast.walk(nodes[name]):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.Name) and node.id in nodes and node.id not in seen:
            yield from kernel_names_in(node.id, nodes, seen)


def uses_libraries(file: Path) -> bool:
    """Whether a module imports from the room of CUDA's libraries."""
    imports = (node for node in statements_of(file) if isinstance(node, ast.ImportFrom))
    return any((node.module or "").startswith(LIBRARIES) for node in imports)
