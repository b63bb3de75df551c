"""numba's compiler pipelines for kernels and native functions: linked into callers, unoptimised, noalias."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from numba._dynfunc import make_function
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import LoweringPass, PassManager, register_pass
from numba.core.typed_passes import (
    IRLegalization,
    NativeLowering,
    NoPythonBackend,
    NopythonTypeInference,
    PreLowerStripPhis,
)
from numba.core.untyped_passes import FixupArgs, IRProcessing, ReconstructSSA, TranslateByteCode

from .vector_width import Wide, WideLibrary


@register_pass(mutates_CFG=False, analysis_only=False)
class OnlyLinked(LoweringPass):
    """Let compiled code call a lowered function that has no machine code of its own: its callers are linked with it.

    numba would optimise each and compile it to machine code, with all that it calls; but nobody runs it by itself, and
    who calls it optimises and compiles it again.
    """

    _name = "only_linked"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        """Let the library count as finished, without machine code."""
        library, lowered = state.library, state["cr"]
        # numba has no flag for a library that is finished without code: these two steps would optimise and emit it.
        library._optimize_final_module = lambda: None
        library._finalize_final_module = lambda: setattr(library, "_finalized", True)
        name = make_function(lowered.fndesc.lookup_module(), "native", "", 0, lowered.env, (library,))  # nothing more
        state.targetctx.insert_user_function(name, lowered.fndesc, [library])
        state["cr"] = lowered._replace(cfunc=name)
        return True


class Linked(CompilerBase):
    """numba's passes, without machine code at their end."""

    def __init__(self, typing: Any, target: Any, library: Any, args: Any, result: Any, flags: Any, kinds: Any) -> None:
        flags.no_compile = True
        super().__init__(typing, target, library, args, result, flags, kinds)

    def define_pipelines(self) -> list[PassManager]:
        """The usual one, and what offers the function."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(WideLibrary, IRLegalization)
        passes.add_pass_after(OnlyLinked, NativeLowering)
        passes.finalize()
        return [passes]


@register_pass(mutates_CFG=False, analysis_only=False)
class NewLibrary(LoweringPass):
    """The library of machine code that `NativeLowering` would make, which LLVM does not optimise."""

    _name = "new_library"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        state.library = state.targetctx.codegen().create_library(state.func_id.func_qualname)
        state.library.enable_object_caching()  # as NativeLowering does: else numba's cache would find no object code
        state.library._optimize_final_module = lambda: None
        return True


class Unoptimised(CompilerBase):
    """numba's passes, without LLVM's: for what runs once, on a few numbers, while somebody waits."""

    def define_pipelines(self) -> list[PassManager]:
        """The usual one, with a library of our own."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(NewLibrary, IRLegalization)
        passes.finalize()
        return [passes]


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
        flags.no_compile = True  # no wrapper and no entry point: nobody outside compiled code calls it
        super().__init__(typing, target, library, args, result, flags, kinds)


def version_of(folder: Path, *more: Any) -> str:
    """Changes with all modules in a folder and with other things that are compiled into a function."""
    sources = [path.read_bytes() for path in sorted(folder.rglob("*.py"))]
    return hashlib.sha256(b"".join([*sources, repr(more).encode()])).hexdigest()[:12]


class NoAlias(Wide):
    """numba's passes for kernels whose arguments share no memory, except element by element.

    Without being told, LLVM compares the arrays' addresses at run time and takes a slow loop, without vectors, where
    they overlap: so it did in every in-place op, whose result is its first operand. What LLVM does when it is told
    (reading several elements ahead of writing any) is right for such an operand as well, as long as the kernel writes
    an element after its last read of it, and arrays that overlap are the same elements in the same order. The ops see
    to the latter: see `check_apart`.
    """

    def __init__(self, typing: Any, target: Any, library: Any, args: Any, result: Any, flags: Any, kinds: Any) -> None:
        flags.noalias = True  # LLVM's attribute of all pointers to data among the arguments
        super().__init__(typing, target, library, args, result, flags, kinds)
