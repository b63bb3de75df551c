"""How kernels become machine code: numba's passes that they need, and LLVM's once for a kernel with all that it calls,
whose callees have no machine code of their own (`Linked`). What only reports, debuggers and generators need is left
out: for each pass numba formats all options, tells listeners, takes times and enforces rules, and for each operation on
numbers or arrays asks again which definition fits: a quarter of the time before LLVM begins."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any

from numba._dynfunc import make_function
from numba.core import transforms, types
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import FunctionPass, LoweringPass, PassManager, _pass_registry, register_pass
from numba.core.errors import NumbaError
from numba.core.postproc import PostProcessor, VariableLifetime
from numba.core.typed_passes import (
    IRLegalization,
    NativeLowering,
    NoPythonBackend,
    NopythonRewrites,
    NopythonTypeInference,
    PreLowerStripPhis,
)
from numba.core.untyped_passes import (
    DeadBranchPrune,
    FixupArgs,
    GenericRewrites,
    InlineClosureLikes,
    IRProcessing,
    ReconstructSSA,
    RewriteDynamicRaises,
    RewriteSemanticConstants,
    TranslateByteCode,
)

from .code_library import (
    NewKernelLibrary,
    NewLinkedLibrary,
    NewRowKernelLibrary,
    NewStandaloneLibrary,
    NewUnoptimisedLibrary,
)
from .ownership import KeepUntilReturn, WithoutCounts


@register_pass(mutates_CFG=False, analysis_only=False)
class OnlyLinked(LoweringPass):
    """Let compiled code call a lowered function that has no machine code of its own: its callers are linked with it.
    numba would optimise each and compile it to machine code, with all that it calls; but nobody runs it by itself, and
    who calls it optimises and compiles it again."""

    _name = "only_linked"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
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


class Flagged(CompilerBase):
    """numba's compiler with some flags set."""

    flagged: tuple[str, ...] = ()

    def __init__(self, typing: Any, target: Any, library: Any, args: Any, result: Any, flags: Any, kinds: Any) -> None:
        for name in self.flagged:
            setattr(flags, name, True)
        super().__init__(typing, target, library, args, result, flags, kinds)


class Unoptimised(Flagged):
    """numba's passes, without LLVM's: for what runs once, on a few numbers, while somebody waits."""

    library: type = NewUnoptimisedLibrary
    behind: tuple[type, ...] = ()

    def define_pipelines(self) -> list[PassManager]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(KeepUntilReturn, NopythonRewrites)
        passes.add_pass_after(self.library, IRLegalization)
        for step in self.behind:
            passes.add_pass_after(step, NativeLowering)
        passes.finalize()
        return [passes]


class Linked(Unoptimised):
    """numba's passes, without machine code at their end."""

    library, behind, flagged = NewLinkedLibrary, (OnlyLinked,), ("no_compile",)


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
    return isinstance(kind, types.Number | types.Boolean | types.Array)


_known: dict[tuple[Any, ...], Any] = {}


READ = TranslateByteCode, FixupArgs, IRProcessing
TYPED = (
    RewriteSemanticConstants,
    DeadBranchPrune,
    GenericRewrites,
    RewriteDynamicRaises,
    ReconstructSSA,
    NopythonTypeInference,
    PreLowerStripPhis,
    NopythonRewrites,
    WithoutCounts,
    KeepUntilReturn,
    IRLegalization,
)


class Kernel(Flagged):
    after: tuple[Any, ...] = (NewKernelLibrary, NativeLowering, NoPythonBackend)
    flagged: tuple[str, ...] = ("no_cfunc_wrapper",)  # kernels are called by Python, or at their code's address

    def define_pipelines(self) -> list[PassManager]:
        passes = LeanPasses("kernel")
        has_closures = any(isinstance(constant, CodeType) for constant in self.state.func_id.code.co_consts)
        for step in (*READ, *([InlineClosureLikes] if has_closures else []), *TYPED, *self.after):
            passes.add_pass(step, step.__name__)
        passes.finalize()
        return [passes]


class LinkedKernel(Kernel):
    after = (NewLinkedLibrary, NativeLowering, OnlyLinked, NoPythonBackend)
    flagged: tuple[str, ...] = (*Kernel.flagged, "no_compile", "no_cpython_wrapper")


class LinkedNoAlias(LinkedKernel):
    """The passes for what a kernel calls with arrays of which `NoAlias` is true."""

    flagged = (*LinkedKernel.flagged, "noalias")


class StandaloneKernel(LinkedNoAlias):
    after = (NewStandaloneLibrary, NativeLowering, OnlyLinked, NoPythonBackend)


class NoAlias(Kernel):
    """The passes for kernels whose arguments share no memory, except element by element. Without being told, LLVM
    compares the arrays' addresses at run time and takes a slow loop, without vectors, where they overlap: so it did in
    every in-place op, whose result is its first operand. What LLVM does when it is told (reading several elements ahead
    of writing any) is right for such an operand as well, as long as the kernel writes an element after its last read of
    it, and arrays that overlap are the same elements in the same order. The ops see to the latter: see
    `check_disjoint`."""

    flagged = (*Kernel.flagged, "noalias")  # LLVM's attribute of all pointers to data among the arguments


class InRows(NoAlias):
    """The same for those that run on rows as well: see row_entries.py."""

    after = (NewRowKernelLibrary, NativeLowering, NoPythonBackend)
