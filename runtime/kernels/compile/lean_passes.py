"""Running numba's passes over a kernel without what only reports, debuggers and generators need.

For each pass of each function numba formats all options, tells listeners, takes times and enforces rules; after most it
computes which variables each block begins with, for generators; and for each operation on numbers or arrays it asks
again which of many definitions fits. That is a quarter of the time that a kernel takes before LLVM gets it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import transforms, types
from numba.core.compiler_machinery import FunctionPass, PassManager, _pass_registry
from numba.core.errors import NumbaError
from numba.core.postproc import PostProcessor, VariableLifetime


class LeanPasses(PassManager):
    """The passes of a kernel, one after the other."""

    def run(self, state: Any) -> None:
        """As numba runs them; an error says in which pass it came up."""
        for step, _ in self.passes:
            one = _pass_registry.get(step).pass_inst
            one.analysis = self._analysis
            try:
                if one.run_pass(state) and isinstance(one, FunctionPass) and _pass_registry.get(step).mutates_CFG:
                    PostProcessor(state.func_ir).run()
            except NumbaError as error:
                self._patch_error(f"Failed in {self.pipeline_name} mode pipeline (step: {one.name()})", error)
                raise


@contextmanager
def lean() -> Iterator[None]:
    """Who holds the compiler's lock compiles so meanwhile."""
    (processor.run, function.get_call_type), before = (postprocess, call_type), (_postprocess, _call_type)
    try:
        yield
    finally:
        processor.run, function.get_call_type = before


processor: Any = PostProcessor
function: Any = types.Function
_postprocess, _call_type = processor.run, function.get_call_type


def postprocess(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    """When variables begin and end, found out when somebody asks."""
    if self.func_ir.is_generator:
        return _postprocess(self, emit_dels, extend_lifetimes)
    self.func_ir.blocks = transforms.canonicalize_cfg(self.func_ir.blocks)
    self.func_ir.variable_lifetime = VariableLifetime(self.func_ir.blocks)
    self.func_ir.generator_info = None
    if emit_dels:
        self._insert_var_dels(extend_lifetimes=extend_lifetimes)
    return None


def call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
    """The signature of a call; of operators on numbers and arrays it is known from the call before."""
    if kws or getattr(self.typing_key, "__module__", "") != "_operator" or not all(map(is_plain, args)):
        return _call_type(self, context, args, kws)
    key = self, context, args
    if key not in _known:
        _known[key] = _call_type(self, context, args, kws)
    return _known[key]


def is_plain(kind: Any) -> bool:
    """Whether a type is that of numbers or arrays of them, of which there are a few."""
    return isinstance(kind, types.Number | types.Boolean | types.Array)


_known: dict[tuple[Any, ...], Any] = {}
