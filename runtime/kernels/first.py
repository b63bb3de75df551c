"""Compiles the kernels that training begins with: `python -m specgrad.runtime.kernels.first K PROGRAM`.

This is process K, and PROGRAM the number of the process for which they compile. A line of the list says where
a kernel is and what it takes, as numba writes it: `runtime.ops.loss.cpu_loops finish (float32[::1], int64)`.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any

from .cache import ahead, claims
from .table import ElementKernels

OWN = __package__.partition(".runtime.")[0]
ELEMENTWISE = "generated.kernels.cpu."
UNITS = (  # of native code
    ("runtime.pool.commands", "UNIT"),
    ("runtime.native.builtins", "HOST"),
    ("runtime.native.creation.plans", "UNIT"),
)
ASIDE = 19  # of niceness: for what nobody may ever need


def main(k: int, program: int) -> None:
    """Go through the list while the program is there."""
    for done, (line, needed) in enumerate(remaining(), 1):
        if os.getppid() != program:
            return ahead.leave(k, whole=False)
        if line not in needed:
            stand_aside(k)
        compile_ahead(line)
        ahead.tell(k, done, len(needed))
    return ahead.leave(k, whole=True)


@functools.cache
def stand_aside(k: int) -> None:
    """Take from now on only the time that nobody else wants, first for native code: the program got its in a hurry."""
    os.nice(ASIDE)
    claims.stand_aside()
    if k == 0:
        for module, name in UNITS:
            getattr(importlib.import_module(f"{OWN}.{module}"), name).code()


def remaining() -> Iterator[tuple[str, Sequence[str]]]:
    """The lines, and those of the program that the one that waits looks like."""
    done = set[str]()
    while True:
        needed, *others = by_likeness(ahead.asked())
        line = next((line for line in chain(needed, *others) if line not in done), None)
        if line is None:
            return
        yield line, needed
        done.add(line)


def compile_next() -> bool:
    """Compile what the program that waits is going to need, and takes least; whether any is left."""
    needed = by_likeness(ahead.asked())[0]
    line = next((line for line in reversed(needed) if line not in _begun), None)
    if line is not None:
        _begun.add(line)
        compile_ahead(line)
    return line is not None


_begun: set[str] = set()  # of the lines, by the program that waits


def compile_ahead(line: str) -> None:
    """Compile the kernel that a line names, unless another process does."""
    with suppress(Exception), ahead.passing_over():  # who needs the kernel will hear of it
        compile_line(line)


def by_likeness(asked: Collection[str]) -> list[tuple[str, ...]]:
    """The programs of the list, first that which has most of the kernels that were asked for."""

    def missing(lines: Sequence[str]) -> int:
        return len(set(asked) - {ahead.name_in(line) for line in lines})

    return sorted(ahead.programs().values(), key=missing)


def compile_line(line: str) -> None:
    """Compile the kernel that a line of the list names, or find it compiled."""
    module, name, kinds = line.split(" ", 2)
    dispatcher_of(module, name).compile(kinds_of(kinds))


def dispatcher_of(module: str, name: str) -> Any:
    """numba's dispatcher of a kernel: of an element-wise op's, or of one written by hand."""
    if module.startswith(ELEMENTWISE):
        return getattr(ElementKernels(f"{OWN}.generated", module.removeprefix(ELEMENTWISE)), name)
    found = importlib.import_module(f"{OWN}.{module}")
    if hasattr(found, "register"):  # types of its own
        found.register()
    kernel = getattr(found, name)
    return kernel.compile() if hasattr(kernel, "function") else kernel


def kinds_of(text: str) -> tuple[Any, ...]:
    """numba's types."""
    from numba.core.sigutils import normalize_signature

    return tuple(normalize_signature(text)[0])


def line_of(module: str, name: str, kinds: Sequence[Any]) -> str | None:
    """The line for a kernel and types; None where one is not written so."""
    words = [word_of(kind) for kind in kinds]
    if None in words:
        return None
    return f"{module.removeprefix(f'{OWN}.')} {name} ({''.join(f'{word}, ' for word in words).rstrip()})"


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
