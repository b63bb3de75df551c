"""Libraries of machine code: what numba makes for each function, as kernels and what they call have them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import Any

from llvmlite.binding import create_new_module_pass_manager, parse_assembly
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_machinery import LoweringPass, register_pass

from .bfloat16_pairs import in_pairs
from .loops import in_halves, interleaved, let_be_wide, multiplies, with_prefetches
from .strided_entry import add_row_entry
from .table_lookup import inlinable, inline, looks_up, with_vectors
from .target import halves_vectors, lookups

CALLED_BY_PYTHON = "_ZN7cpython"
ENVIRONMENT = "_ZN08NumbaEnv"


class FullLibrary(JITCodeLibrary):
    def finalize(self) -> None:
        self._linking_libraries = [*all_called(self)]
        super().finalize()


class UnoptimisedLibrary(FullLibrary):
    def _optimize_final_module(self) -> None:
        """Long loops are interleaved; vectorised ones ask for memory ahead; short ones are not halved."""
        passes = create_new_module_pass_manager()
        passes.add_sroa_pass()
        passes.add_dead_code_elimination_pass()
        passes.add_global_dead_code_eliminate_pass()
        passes.run(self._final_module, self._codegen._pass_builder())


class KernelLibrary(FullLibrary):
    """A module that LLVM optimises as a whole, when all that is called has been linked in, with the widest vectors."""

    def add_ir_module(self, module: Any) -> None:
        """Before it is read by LLVM. What Python calls only calls the kernel, so that need not be optimised."""
        let_be_wide(module)
        for function in module.functions:
            if not function.is_declaration and function.name.startswith(CALLED_BY_PYTHON):
                function.attributes.update(("optnone", "noinline"))
        super().add_ir_module(module)

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        """Loops over long functions are interleaved, and ask for their memory ahead when they have been vectorised.
        Those over short ones have vectors that the processor need not halve."""
        if multiplies(self._final_module):
            self._change(interleaved)
        elif halves_vectors():
            self._change(in_halves)
        if looks_up(self._final_module):
            self._optimize_with_lookups()
        else:
            super()._optimize_final_module()
        self._change(in_pairs)
        self._change(with_prefetches)

    def _optimize_with_lookups(self) -> None:
        self._change(partial(with_vectors, kinds=lookups()))
        super()._optimize_final_module()
        self._change(inlinable)
        inline(self._final_module, self._codegen._pass_builder())

    def _change(self, changed: Callable[[str], str]) -> None:
        before = str(self._final_module)
        text = changed(before)
        if text != before:
            self._final_module: Any = parse_assembly(text)


class RowKernelLibrary(KernelLibrary):
    """A kernel of flat arrays with an entry for rows beside it."""

    def add_ir_module(self, module: Any) -> None:
        for function in [*module.functions]:
            if not function.is_declaration and not function.linkage and not function.name.startswith(CALLED_BY_PYTHON):
                add_row_entry(function)
        super().add_ir_module(module)


class LinkedLibrary(KernelLibrary):
    """A module that is linked into others as it is: it names what it calls, and whoever is linked with it has that."""

    def finalize(self) -> None:
        for library in self._linking_libraries:
            self._reload_init.update(library._reload_init)
        self._finalized = True


def emit(text: str, name: str, symbols: Collection[str], codegen: Any) -> bytes | None:
    """Machine code of a module that was linked elsewhere; None where it needs environments that are not there."""
    library = KernelLibrary(codegen, name)
    library._final_module = parse_assembly(text)
    library._optimize_final_module()
    if environments_in(library._final_module) - {*symbols}:
        return None
    return bytes(codegen._tm.emit_object(library._final_module))


def environments_in(module: Any) -> set[str]:
    text = str(module)
    named = (one.name for one in module.global_variables if one.name.startswith(ENVIRONMENT))
    return {name for name in named if text.count(name) > 1}


def all_called(library: Any) -> dict[Any, None]:
    result = dict[Any, None]()
    waiting = [*reversed(library._linking_libraries)]
    while waiting:
        called = waiting.pop()
        if called not in result:
            result[called] = None
            waiting += reversed(called._linking_libraries if isinstance(called, LinkedLibrary) else [])
    return result


class StandaloneLibrary(LinkedLibrary):
    def add_ir_module(self, module: Any) -> None:
        for function in module.functions:
            if not function.is_declaration:
                function.attributes.add("noinline")
        super().add_ir_module(module)


def _making(library: type[JITCodeLibrary]) -> Any:
    class New(LoweringPass):
        _name = f"new_{library.__name__}"

        def __init__(self) -> None:
            super().__init__()

        def run_pass(self, state: Any) -> bool:
            state.library = library(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()  # as NativeLowering does: else there were no object code to keep
            return True

    New.__name__ = f"New{library.__name__}"
    return register_pass(mutates_CFG=False, analysis_only=False)(New)


NewKernelLibrary, NewRowKernelLibrary = _making(KernelLibrary), _making(RowKernelLibrary)
NewLinkedLibrary, NewStandaloneLibrary = _making(LinkedLibrary), _making(StandaloneLibrary)
NewUnoptimisedLibrary = _making(UnoptimisedLibrary)
