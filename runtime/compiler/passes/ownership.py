"""No reference counts in functions that own no memory: whoever calls holds what they read and write. numba counts
references wherever an array gets a name, and takes most counts away again when all is inlined: half of what LLVM is
given of a short loop over slices. And memory that a kernel makes for itself lives as long as the function, if something
reads it by address: numba would let go of it behind its last use by name."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from numba.core import ir, types
from numba.core.compiler_machinery import AnalysisPass, FunctionPass, register_pass
from numba.core.extending import _Intrinsic

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
    if is_owned(state, state.return_type):
        return False
    steps = [step for block in state.func_ir.blocks.values() for step in block.find_insts(ir.Assign)]
    return all(not is_owned(state, state.typemap[step.target.name]) or is_borrowed(state, step.value) for step in steps)


def is_owned(state: Any, kind: Any) -> bool:
    owned: bool = state.targetctx.data_model_manager[kind].contains_nrt_meminfo()
    return owned


def is_borrowed(state: Any, value: Any) -> bool:
    if not isinstance(value, ir.Expr):
        return isinstance(value, ir.Arg | ir.Var)
    if value.op == "getitem" and isinstance(state.typemap[value.index.name], types.Array):
        return False
    return value.op in PARTS or (value.op == "call" and is_view(state, value.func))


def is_view(state: Any, function: Any) -> bool:
    kind = state.typemap[function.name]
    if isinstance(kind, types.BoundFunction):
        return kind.typing_key in METHODS
    return getattr(getattr(state.func_ir.get_definition(function), "value", None), "_name", "") in VIEWS


@register_pass(mutates_CFG=False, analysis_only=False)
class KeepUntilReturn(FunctionPass):
    """Names the arrays that intrinsics have been given once more where the function returns. numba's own search for
    each variable's last use, in `IRLegalization`, does the rest: one that is made anew in a loop lives until the next
    one is made."""

    _name = "keep_until_return"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        lent = _lent(state)
        for block in state.func_ir.blocks.values() if lent else ():
            end = block.terminator
            for name in lent if isinstance(end, ir.Return) else ():
                again = block.scope.redefine("$kept", end.loc)
                state.typemap[again.name] = state.typemap[name]
                block.insert_before_terminator(ir.Assign(block.scope.get_exact(name), again, end.loc))
        return bool(lent)


def _lent(state: Any) -> list[str]:
    """The arrays that were given to intrinsics, by the names that they got first; not arguments, which callers hold."""
    values, lent = defaultdict(list), []
    for block in state.func_ir.blocks.values():
        for each in block.find_insts(ir.Assign):
            values[each.target.name].append(each.value)
            if isinstance(each.value, ir.Expr) and each.value.op == "call" and _is_intrinsic(state, each.value.func):
                lent += [value.name for value in each.value.args]
    owners = sorted({_owner(values, name) for name in lent if isinstance(state.typemap[name], types.Array)})
    return [name for name in owners if not isinstance(values[name][0], ir.Arg)]


def _is_intrinsic(state: Any, function: Any) -> bool:
    kind = state.typemap[function.name]
    return isinstance(kind, types.Function) and isinstance(kind.typing_key, _Intrinsic)


def _owner(values: dict[str, list[Any]], name: str) -> str:
    while len(values[name]) == 1 and isinstance(values[name][0], ir.Var):
        name = values[name][0].name
    return name
