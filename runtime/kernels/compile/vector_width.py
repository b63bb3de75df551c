"""The whole width of the vector registers for kernels: LLVM uses half of it on many processors that have 512 bits.

It prefers 256 bits where wide registers once lowered the clock, by the processor's name, and does so for all that it
does not know as well. Loops of arithmetic lose up to half of their speed by that, those that wait for memory gain
nothing. Which bits come out does not depend on it: what is computed of an element is the same in any lane.
"""

from __future__ import annotations

from typing import Any

from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import LoweringPass, PassManager, register_pass
from numba.core.typed_passes import IRLegalization

WIDEST = '"prefer-vector-width"="512"'  # of x86-64, where such registers are; no other processor reads it


@register_pass(mutates_CFG=False, analysis_only=False)
class WideLibrary(LoweringPass):
    """The library of machine code that `NativeLowering` would make, whose functions may use the widest vectors."""

    _name = "wide_library"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        library = state.targetctx.codegen().create_library(state.func_id.func_qualname)
        library.enable_object_caching()  # as NativeLowering does: else numba's cache would find no object code
        add = library.add_ir_module

        def add_wide(module: Any) -> None:
            for function in module.functions:
                set.add(function.attributes, WIDEST)  # past llvmlite's list of attributes, which has none of targets
            add(module)

        library.add_ir_module = add_wide
        state.library = library
        return True


class Wide(CompilerBase):
    """numba's passes for kernels whose loops use the widest vectors that there are."""

    def define_pipelines(self) -> list[PassManager]:
        """The usual one, with such a library."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(WideLibrary, IRLegalization)
        passes.finalize()
        return [passes]
