"""Compiles the kernels that training begins with: `python -m specgrad.runtime.kernels.warmup K PROGRAM`. This is
process K, and PROGRAM the number of the process for which they compile. A line of the list says where a kernel is and
what it takes, as numba writes it: `runtime.ops.loss.cpu_loops finish (float32[::1], int64)`."""

import functools
import importlib
import os
import re
import sys
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any

from ..compiler.cache import directory, precompile
from .cpu.elementwise_table import ElementKernels

OWN = __package__.partition(".runtime.")[0]
ELEMENTWISE = "generated.kernels.cpu."
UNITS = (  # of native code
    ("runtime.device.threads.worker_threads", "UNIT"),
    ("runtime.native.plans.builtins", "HOST"),
    ("runtime.native.creation.plans", "UNIT"),
)
ASIDE = 19  # of niceness: for what nobody may ever need
LIKE = 0.7  # as likely is a program for each kernel that does not fit
ENOUGH, CERTAIN = 0.5, 0.9  # chances that a kernel is needed


def main(k: int, program: int) -> None:
    done = set[str]()
    while (match := next_line(done)) is not None:
        line, is_likely = match
        if os.getppid() != program:
            return precompile.leave(k, completed=False)
        if not is_likely:
            stand_aside(k)
        compile_ahead(line)
        done.add(line)
    return precompile.leave(k, completed=True)


@functools.cache
def stand_aside(k: int) -> None:
    """Take from now on only the time that nobody else wants, first for native code: the program got its in a hurry."""
    os.nice(ASIDE)
    directory.stand_aside()
    if k == 0:
        for module, name in UNITS:
            getattr(importlib.import_module(f"{OWN}.{module}"), name).code()


def next_line(done: Collection[str]) -> tuple[str, bool] | None:
    """What to compile next, and whether the program that waits is likely to need it. First those of its first step, the
    last one first: it begins at the other end. Those that nearly all programs need come before, as it says more and
    more of itself meanwhile. Then what it needs later, and at last what others need."""
    weights = weights_of(precompile.requested_programs())
    first, certain = likely(weights, 0), likely(weights, 0, CERTAIN)
    needed = [*dict.fromkeys((*reversed(certain), *reversed(first), *likely(weights, 1)))]
    rest = [line for program in sorted(weights, key=lambda one: -weights[one]) for line in chain(*program)]
    line = next((line for line in (*needed, *rest) if line not in done), None)
    return None if line is None else (line, line in needed)


def compile_next() -> bool:
    """Compile what the program that waits is likely to need next; whether any of its first step is left."""
    line = next((line for line in likely(weights_of(precompile.requested_programs()), 0) if line not in _begun), None)
    if line is not None:
        _begun.add(line)
        compile_ahead(line)
    return line is not None


_begun: set[str] = set()  # of the lines, by the program that waits


def compile_ahead(line: str) -> None:
    with suppress(Exception), precompile.passing_over():  # who needs the kernel will hear of it
        compile_line(line)


def weights_of(requested_programs: Collection[str]) -> dict[precompile.Program, float]:
    """How like each program of the list is to the one that has asked for these kernels. Each kernel counts that a
    program of the list does not need, and each that it would have asked for before."""
    known = {precompile.name_in(line) for program in precompile.programs().values() for line in chain(*program)}
    names = [name for name in dict.fromkeys(requested_programs) if name in known]

    def unlike(program: precompile.Program) -> int:
        own = [[precompile.name_in(line) for line in part] for part in program]
        reached = max((own[0].index(name) + 1 for name in names if name in own[0]), default=0)
        return len({*names} - {*chain(*own)}) + len({*own[0][:reached]} - {*names})

    return {program: LIKE ** unlike(program) for program in precompile.programs().values()}


def likely(weights: Mapping[precompile.Program, float], part: int, enough: float = ENOUGH) -> list[str]:
    """The lines of a part of the programs with such a chance to be needed, in the order of the likeliest programs."""
    chances = Counter[str]()
    for program, weight in weights.items():
        chances.update({line: weight / sum(weights.values()) for line in program[part]})
    ordered = sorted(weights, key=lambda program: -weights[program])
    return [line for line in dict.fromkeys(chain(*(one[part] for one in ordered))) if chances[line] > enough]


def compile_line(line: str) -> None:
    module, name, kinds = line.split(" ", 2)
    dispatcher_of(module, name).compile(kinds_of(kinds))


def dispatcher_of(module: str, name: str) -> Any:
    """numba's dispatcher of a kernel: of an element-wise op's, or of one written by hand."""
    if module.startswith(ELEMENTWISE):
        op, kernel = re.findall(r"(.+)_((?:forward|backward)(?:_.*)?)", name)[0]
        return getattr(ElementKernels(f"{OWN}.generated", module.removeprefix(ELEMENTWISE), op), kernel)
    result = importlib.import_module(f"{OWN}.{module}")
    if hasattr(result, "register"):  # types of its own
        result.register()
    kernel = getattr(result, name)
    return kernel.compile() if hasattr(kernel, "function") else kernel


def kinds_of(text: str) -> tuple[Any, ...]:
    from numba.core.sigutils import normalize_signature

    return tuple(normalize_signature(text)[0])


def line_of(module: str, name: str, kinds: Sequence[Any]) -> str | None:
    """The line for a kernel and types; None where one is not written so."""
    program_names = [word_of(kind) for kind in kinds]
    if None in program_names:
        return None
    return f"{module.removeprefix(f'{OWN}.')} {name} ({''.join(f'{word}, ' for word in program_names).rstrip()})"


def word_of(kind: Any) -> str | None:
    """A type as numba reads it; None for one that has no such text."""
    from numba import types

    if isinstance(kind, types.BaseTuple):
        items = [word_of(item) for item in kind]
        return None if None in items else f"Tuple(({''.join(f'{item}, ' for item in items)}))"
    if isinstance(kind, types.Array) and kind.mutable and kind.aligned and kind.layout in "CA":
        last = "::1" if kind.layout == "C" else ":"
        return f"{word_of(kind.dtype)}[{', '.join([':'] * (kind.ndim - 1) + [last])}]"
    return kind.name.removesuffix("ean") if isinstance(kind, types.Number | types.Boolean) else None


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
