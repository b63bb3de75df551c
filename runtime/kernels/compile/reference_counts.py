"""No reference counts in functions that own no memory: whoever calls holds what they read and write.

numba counts references wherever an array gets a name, a slice as any other, and takes most counts away again when all
that is called has been inlined: half of what LLVM is given of a short loop over slices. A function that makes no array
and returns none needs none of them; nor is memory found for the owner of each argument when Python calls it.
"""

from __future__ import annotations

from typing import Any

from numba.core import ir, types
from numba.core.compiler_machinery import AnalysisPass, register_pass

PARTS = {"getitem", "static_getitem", "getattr", "build_tuple", "exhaust_iter", "cast", "phi"}  # of what has an owner
VIEWS = {"part_of", "row_at", "matrix_at"}  # intrinsics: arrays over memory that somebody else keeps
METHODS = {"array.reshape"}


@register_pass(mutates_CFG=False, analysis_only=True)
class WithoutCounts(AnalysisPass):
    """Lower a function without reference counts where it borrows all that it reads and writes."""

    _name = "without_counts"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        """Once types are known, and operations on whole arrays, which make new ones, stand in expressions."""
        if borrows(state):
            state.targetctx = state.targetctx.subtarget(enable_nrt=False)
        return False


def borrows(state: Any) -> bool:
    """Whether a function neither makes anything that has an owner nor returns it."""
    if is_owned(state, state.return_type):
        return False
    steps = [step for block in state.func_ir.blocks.values() for step in block.find_insts(ir.Assign)]
    return all(not is_owned(state, state.typemap[step.target.name]) or is_borrowed(state, step.value) for step in steps)


def is_owned(state: Any, kind: Any) -> bool:
    """Whether values of a type have memory whose references are counted."""
    owned: bool = state.targetctx.data_model_manager[kind].contains_nrt_meminfo()
    return owned


def is_borrowed(state: Any, value: Any) -> bool:
    """Whether a value is, or is part of, what has an owner already."""
    if not isinstance(value, ir.Expr):
        return isinstance(value, ir.Arg | ir.Var)
    if value.op == "getitem" and isinstance(state.typemap[value.index.name], types.Array):
        return False
    return value.op in PARTS or (value.op == "call" and is_view(state, value.func))


def is_view(state: Any, function: Any) -> bool:
    """Whether a function gives an array over memory that is there."""
    kind = state.typemap[function.name]
    if isinstance(kind, types.BoundFunction):
        return kind.typing_key in METHODS
    return getattr(getattr(state.func_ir.get_definition(function), "value", None), "_name", "") in VIEWS
