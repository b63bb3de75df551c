"""How kernels become machine code: numba's passes that they need, and LLVM's once for a kernel with all that it calls.

numba compiles every function for itself, with wrappers for C and Python, and whatever calls it once more with that. A
kernel's callees have no machine code of their own here (`Linked`), and nobody asks for the wrapper for C.
"""

from __future__ import annotations

from types import CodeType
from typing import Any

from llvmlite.binding import parse_assembly
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase
from numba.core.compiler_machinery import LoweringPass, PassManager, register_pass
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

from .compiler_pipelines import OnlyLinked
from .lifetimes import KeepUntilReturn
from .prefetch import with_prefetches
from .vector_width import let_be_wide

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
    KeepUntilReturn,
    IRLegalization,
)


class KernelLibrary(JITCodeLibrary):
    """A module that LLVM optimises as a whole, when all that is called has been linked in, with the widest vectors."""

    def add_ir_module(self, module: Any) -> None:
        """Before it is read by LLVM."""
        let_be_wide(module)
        super().add_ir_module(module)

    def _optimize_functions(self, module: Any) -> None:
        """Not one by one."""
        module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        """Let loops ask for their memory ahead when they have been vectorised."""
        super()._optimize_final_module()
        text = str(self._final_module)
        changed = with_prefetches(text)
        if changed != text:
            self._final_module: Any = parse_assembly(changed)


@register_pass(mutates_CFG=False, analysis_only=False)
class NewKernelLibrary(LoweringPass):
    """The library of machine code that `NativeLowering` would make, as kernels have it."""

    _name = "new_kernel_library"
    made = KernelLibrary

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        state.library = self.made(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()  # as NativeLowering does: else there were no object code to keep
        return True


class Kernel(CompilerBase):
    """The passes for a kernel."""

    after: tuple[Any, ...] = (NewKernelLibrary, NativeLowering, NoPythonBackend)

    def __init__(self, typing: Any, target: Any, library: Any, args: Any, result: Any, flags: Any, kinds: Any) -> None:
        flags.no_cfunc_wrapper = True  # kernels are called by Python, or at the address of their own code
        super().__init__(typing, target, library, args, result, flags, kinds)

    def define_pipelines(self) -> list[PassManager]:
        """One pipeline."""
        passes = PassManager("kernel")
        has_closures = any(isinstance(constant, CodeType) for constant in self.state.func_id.code.co_consts)
        for step in (*READ, *([InlineClosureLikes] if has_closures else []), *TYPED, *self.after):
            passes.add_pass(step, step.__name__)
        passes.finalize()
        return [passes]


class LinkedKernel(Kernel):
    """The passes for what kernels call."""

    after = (NewKernelLibrary, NativeLowering, OnlyLinked, NoPythonBackend)

    def __init__(self, typing: Any, target: Any, library: Any, args: Any, result: Any, flags: Any, kinds: Any) -> None:
        flags.no_compile = True
        flags.no_cpython_wrapper = True
        super().__init__(typing, target, library, args, result, flags, kinds)


class LinkedNoAlias(LinkedKernel):
    """The passes for what a kernel calls with arrays of which `NoAlias` is true."""

    def __init__(self, typing: Any, target: Any, library: Any, args: Any, result: Any, flags: Any, kinds: Any) -> None:
        flags.noalias = True
        super().__init__(typing, target, library, args, result, flags, kinds)


class ApartLibrary(KernelLibrary):
    """A module whose functions are not inlined."""

    def add_ir_module(self, module: Any) -> None:
        for function in module.functions:
            if not function.is_declaration:
                function.attributes.add("noinline")
        super().add_ir_module(module)


@register_pass(mutates_CFG=False, analysis_only=False)
class NewApartLibrary(NewKernelLibrary):
    """The same for what is not inlined."""

    _name = "new_apart_library"
    made = ApartLibrary


class ApartKernel(LinkedNoAlias):
    """The same for what is not inlined."""

    after = (NewApartLibrary, NativeLowering, OnlyLinked, NoPythonBackend)


class NoAlias(Kernel):
    """The passes for kernels whose arguments share no memory, except element by element.

    Without being told, LLVM compares the arrays' addresses at run time and takes a slow loop, without vectors, where
    they overlap: so it did in every in-place op, whose result is its first operand. What LLVM does when it is told
    (reading several elements ahead of writing any) is right for such an operand as well, as long as the kernel writes
    an element after its last read of it, and arrays that overlap are the same elements in the same order. The ops see
    to the latter: see `check_apart`.
    """

    def __init__(self, typing: Any, target: Any, library: Any, args: Any, result: Any, flags: Any, kinds: Any) -> None:
        flags.noalias = True  # LLVM's attribute of all pointers to data among the arguments
        super().__init__(typing, target, library, args, result, flags, kinds)
