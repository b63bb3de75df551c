"""How kernels become machine code: numba's passes that they need, and LLVM's once for a kernel with all that it calls.

numba compiles every function for itself, with wrappers for C and Python, and whatever calls it once more with that. A
kernel's callees have no machine code of their own here (`Linked`), and nobody asks for the wrapper for C.
"""

from __future__ import annotations

from types import CodeType
from typing import Any

from numba.core.compiler import CompilerBase
from numba.core.compiler_machinery import PassManager
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
from .lean_passes import LeanPasses
from .libraries import NewKernelLibrary, NewLinkedLibrary, NewRowKernelLibrary, NewStandaloneLibrary
from .lifetimes import KeepUntilReturn
from .reference_counts import WithoutCounts

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


class Kernel(CompilerBase):
    """The passes for a kernel."""

    after: tuple[Any, ...] = (NewKernelLibrary, NativeLowering, NoPythonBackend)

    def __init__(self, typing: Any, target: Any, library: Any, args: Any, result: Any, flags: Any, kinds: Any) -> None:
        flags.no_cfunc_wrapper = True  # kernels are called by Python, or at the address of their own code
        super().__init__(typing, target, library, args, result, flags, kinds)

    def define_pipelines(self) -> list[PassManager]:
        """One pipeline."""
        passes = LeanPasses("kernel")
        has_closures = any(isinstance(constant, CodeType) for constant in self.state.func_id.code.co_consts)
        for step in (*READ, *([InlineClosureLikes] if has_closures else []), *TYPED, *self.after):
            passes.add_pass(step, step.__name__)
        passes.finalize()
        return [passes]


class LinkedKernel(Kernel):
    """The passes for what kernels call."""

    after = (NewLinkedLibrary, NativeLowering, OnlyLinked, NoPythonBackend)

    def __init__(self, typing: Any, target: Any, library: Any, args: Any, result: Any, flags: Any, kinds: Any) -> None:
        flags.no_compile = True
        flags.no_cpython_wrapper = True
        super().__init__(typing, target, library, args, result, flags, kinds)


class LinkedNoAlias(LinkedKernel):
    """The passes for what a kernel calls with arrays of which `NoAlias` is true."""

    def __init__(self, typing: Any, target: Any, library: Any, args: Any, result: Any, flags: Any, kinds: Any) -> None:
        flags.noalias = True
        super().__init__(typing, target, library, args, result, flags, kinds)


class StandaloneKernel(LinkedNoAlias):
    """The same for what is not inlined."""

    after = (NewStandaloneLibrary, NativeLowering, OnlyLinked, NoPythonBackend)


class NoAlias(Kernel):
    """The passes for kernels whose arguments share no memory, except element by element.

    Without being told, LLVM compares the arrays' addresses at run time and takes a slow loop, without vectors, where
    they overlap: so it did in every in-place op, whose result is its first operand. What LLVM does when it is told
    (reading several elements ahead of writing any) is right for such an operand as well, as long as the kernel writes
    an element after its last read of it, and arrays that overlap are the same elements in the same order. The ops see
    to the latter: see `check_disjoint`.
    """

    def __init__(self, typing: Any, target: Any, library: Any, args: Any, result: Any, flags: Any, kinds: Any) -> None:
        flags.noalias = True  # LLVM's attribute of all pointers to data among the arguments
        super().__init__(typing, target, library, args, result, flags, kinds)


class InRows(NoAlias):
    """The same for those that run on rows as well: see row_entries.py."""

    after = (NewRowKernelLibrary, NativeLowering, NoPythonBackend)
