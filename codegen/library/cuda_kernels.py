"""Who computes an op on a CUDA device: found as the runtime finds it, by the name of the kernel for the CPU."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from .homes import Part
from .modules import offered_nodes, statements_of

LIBRARIES = "cuda.libraries"  # the room of cuBLAS, cuFFT and cuSOLVER, as modules import from it


def files_beside(file: Path) -> Iterator[Path]:
    """The files that may hold the kernels for CUDA that go with those of a file; see runtime/cuda/fallback.py."""
    for name in dict.fromkeys((file.name.replace("cpu", "cuda"), "cuda.py")):
        found = file.with_name(name)
        if found != file and found.is_file():
            yield found


def on_cuda(kernel: Part) -> str:
    """`kernel`, `library` or `host`, for a kernel written by hand."""
    for file in files_beside(kernel.file):
        if kernel.name in dict(offered_nodes(file)):
            return "library" if uses_libraries(file) else "kernel"
    return "host"


def uses_libraries(file: Path) -> bool:
    """Whether a module imports from the room of CUDA's libraries."""
    imports = (node for node in statements_of(file) if isinstance(node, ast.ImportFrom))
    return any((node.module or "").startswith(LIBRARIES) for node in imports)
