"""How numba compiles native functions: with the passes they need, and to machine code only those that Python calls."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from numba.core.compiler import CompilerBase
from numba.core.compiler_machinery import PassManager
from numba.core.typed_passes import (
    IRLegalization,
    NativeLowering,
    NoPythonBackend,
    NopythonTypeInference,
    PreLowerStripPhis,
)
from numba.core.untyped_passes import FixupArgs, IRProcessing, ReconstructSSA, TranslateByteCode

from .linking import OnlyLinked

PASSES = (
    TranslateByteCode,
    FixupArgs,
    IRProcessing,
    ReconstructSSA,
    NopythonTypeInference,
    PreLowerStripPhis,
    IRLegalization,
    NativeLowering,
    NoPythonBackend,
)


class Lean(CompilerBase):
    """The passes for functions of words, which have no closures, arrays and the like that most passes look for."""

    passes: tuple[Any, ...] = PASSES

    def define_pipelines(self) -> list[PassManager]:
        """One pipeline."""
        passes = PassManager("native")
        for step in self.passes:
            passes.add_pass(step, step.__name__)
        passes.finalize()
        return [passes]


class Inner(Lean):
    """For functions that are only called from others."""

    passes = (*PASSES[:-1], OnlyLinked, PASSES[-1])

    def __init__(self, typing: Any, target: Any, library: Any, args: Any, result: Any, flags: Any, kinds: Any) -> None:
        flags.no_compile = True
        super().__init__(typing, target, library, args, result, flags, kinds)


def version_of(folder: Path, *more: Any) -> str:
    """Changes with the modules of a folder and with other things that are compiled into a function."""
    sources = [path.read_bytes() for path in sorted(folder.glob("*.py"))]
    return hashlib.sha256(b"".join([*sources, repr(more).encode()])).hexdigest()[:12]
