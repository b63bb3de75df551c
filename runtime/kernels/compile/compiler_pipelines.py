"""numba's compiler pipelines for kernels: linked into callers, unoptimised."""

from __future__ import annotations

import ctypes
from typing import Any

from numba._dynfunc import make_function
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import LoweringPass, PassManager, register_pass
from numba.core.typed_passes import IRLegalization, NativeLowering, NopythonRewrites

from .libraries import NewLinkedLibrary, NewUnoptimisedLibrary
from .lifetimes import KeepUntilReturn


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
        # What Python calls in its place has no result and raises a TypeError.
        refusal = ctypes.cast(ctypes.pythonapi.PyErr_BadArgument, ctypes.c_void_p).value
        name = make_function(lowered.fndesc.lookup_module(), "native", "", refusal, lowered.env, (library,))
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
        passes.add_pass_after(KeepUntilReturn, NopythonRewrites)
        passes.add_pass_after(NewLinkedLibrary, IRLegalization)
        passes.add_pass_after(OnlyLinked, NativeLowering)
        passes.finalize()
        return [passes]


class Unoptimised(CompilerBase):
    """numba's passes, without LLVM's: for what runs once, on a few numbers, while somebody waits."""

    def define_pipelines(self) -> list[PassManager]:
        """The usual one, with a library of our own."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(KeepUntilReturn, NopythonRewrites)
        passes.add_pass_after(NewUnoptimisedLibrary, IRLegalization)
        passes.finalize()
        return [passes]
