"""Named processors, and what numba's code becomes for them: on any machine, by LLVM's own optimiser and generator."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple
from unittest.mock import patch

from llvmlite import binding
from numba.core.codegen import CPUCodeLibrary
from numba.core.llvm_bindings import create_pass_builder

from specgrad.runtime.compiler.passes import target as machine
from specgrad.runtime.compiler.passes.code_library import KernelLibrary
from specgrad.runtime.compiler.passes.primitive_code import LOOKUPS
from specgrad.runtime.compiler.passes.table_lookup import inlinable, inline, with_vectors


@functools.cache
def probed(target: Target) -> str:
    """The instructions of a processor for the probe."""
    return machine.assembly(*target)


@functools.cache
def lookups_of(target: Target) -> tuple[str, ...]:
    return machine.lookups_of(*target)


class Target(NamedTuple):
    """A processor as LLVM names it, and what it has beside what the name says."""

    triple: str
    name: str
    features: str = ""

    @property
    def architecture(self) -> str:
        return self.triple.split("-")[0]

    def machine(self) -> Any:
        """What optimises and generates code for the processor as numba does for its own."""
        where = {"x86_64": "static"}.get(self.architecture, "default")
        target = binding.Target.from_triple(self.triple)
        return target.create_target_machine(
            self.name, self.features, opt=3, reloc=where, codemodel="jitdefault", jit=True
        )

    def fuses(self) -> bool:
        """Whether a product and a sum are one instruction."""
        return machine.calls_no_library(probed(self))

    def scales(self) -> bool:
        """Whether x 2^k is one instruction."""
        return machine.has_scale(probed(self))

    def lookups(self) -> tuple[str, ...]:
        """How vectors look up entries of tables."""
        return lookups_of(self)

    def kind(self) -> tuple[bool, bool]:
        """What scalar functions are made for."""
        return self.fuses(), self.scales()


binding.initialize_all_targets()
binding.initialize_all_asmprinters()
# Levels of x86-64, of which the last has registers of 512 bits and uses 256; processors that prefer either; and ARM64.
TARGETS = tuple(
    Target("x86_64-unknown-linux-gnu", name)
    for name in ("x86-64-v2", "x86-64-v3", "x86-64-v4", "rocketlake", "sapphirerapids", "znver4")
) + (Target("aarch64-unknown-linux-gnu", "generic"), Target("aarch64-unknown-linux-gnu", "neoverse-v1"))
# Without processors for which a scalar function has as many packed instructions as for x86-64-v4 (measured: exp, sin,
# pow, lgamma, erfinv and bessel_j1 in both dtypes).
UNLIKE = tuple(target for target in TARGETS if target.name not in ("rocketlake", "sapphirerapids"))


OWN = re.compile(r"^target .*$", re.MULTILINE)
# What counts references was compiled for this machine before: its instructions may not exist elsewhere.
COUNTING = re.compile(r"^define [^\n]*@(NRT_(?:in|de)cref)\(.*?^}$", re.MULTILINE | re.DOTALL)


METHOD = "_optimize_final_module"


class Lowered(Exception):
    """Raised in the place of LLVM's passes for this machine, with the text that they would change."""


@contextmanager
def stopped_before_passes(name: str) -> Iterator[None]:
    """What numba compiles under a name meanwhile is linked, and neither optimised nor made machine code."""

    def stopping(optimise: Any) -> Any:
        def stop(library: Any) -> None:
            if library.name == name:
                raise Lowered(str(library._final_module))
            optimise(library)

        return stop

    with ExitStack() as patches:
        for kind in (CPUCodeLibrary, KernelLibrary):
            patches.enter_context(patch.object(kind, METHOD, stopping(getattr(kind, METHOD))))
        yield


def lowered(dispatcher: Any, signature: Any) -> str:
    """LLVM's text of what numba compiles for a signature, before anything is done for a processor."""
    with stopped_before_passes(dispatcher.py_func.__qualname__):
        try:
            dispatcher.compile(signature)
        except Lowered as found:
            return str(found)
    raise AssertionError("nothing was compiled: the dispatcher has had this signature")


def assembly(text: str, name: str, target: Target) -> list[str]:
    """The instructions of the function of that name in LLVM's text, by numba's passes for a processor."""
    made = target.machine()
    looked_up = with_vectors(OWN.sub("", COUNTING.sub(r"declare void @\1(ptr)", text)), target.lookups())
    module = binding.parse_assembly(looked_up)
    module.triple, module.data_layout = target.triple, str(made.target_data)
    for function in module.functions:
        if not function.is_declaration and not function.name.startswith(tuple(LOOKUPS.values())):
            function.linkage = "external" if is_kernel(function.name, name) else "internal"
    simplify(made, module)
    optimise(made, module)
    module = binding.parse_assembly(inlinable(str(module)))
    inline(module, create_pass_builder(made, opt=3))
    return instructions(made.emit_assembly(module))


def instructions(text: str) -> list[str]:
    """Assembly without directives and comments."""
    lines = text.splitlines()
    return [re.split(r"#|//", line)[0] for line in lines if not line.lstrip().startswith((".", "#", "//"))]


def is_kernel(mangled: str, name: str) -> bool:
    """Whether this is the function itself, and not what Python or C call it by."""
    return name in mangled and not mangled.startswith(("_ZN7cpython", "cfunc."))


def simplify(made: Any, module: Any) -> None:
    """numba's first passes, which inline and count references; before, what only Python and C call goes."""
    builder = create_pass_builder(made, opt=0)
    passes = builder.getModulePassManager()
    passes.add_global_dead_code_eliminate_pass()
    passes.add_loop_rotate_pass()
    passes.add_instruction_combine_pass()
    passes.add_jump_threading_pass()
    passes.add_refprune_pass()
    passes.run(module, builder)


def optimise(made: Any, module: Any) -> None:
    """numba's second passes, which vectorise loops."""
    builder = create_pass_builder(made, opt=3, loop_vectorize=True)
    builder.getModulePassManager().run(module, builder)
