"""Compiling what comes with specgrad: archives of machine code, and a table of what each kernel takes of a GPU.

Kernels whose digest is in the archives are not compiled again.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from specgrad.runtime.kernels.cuda.cubins import CARRIED, TARGETS, archive, packed, unpacked

from .carried import Carried, carried

TABLE = "registers.txt"
TITLE = "# Registers of a thread, + bytes of stack, + bytes spilled, for " + ", ".join(
    f"sm_{major}{minor}" for major, minor in TARGETS
)


class Built(NamedTuple):
    """What a kernel takes of a GPU, as the table has it, and its machine code for each target."""

    taken: str
    codes: tuple[bytes, ...]


@cache
def all_carried() -> dict[str, tuple[Carried, list[str]]]:
    """The kernels by digest, each with the labels of all that have it."""
    found: dict[str, tuple[Carried, list[str]]] = {}
    for each in carried():
        digest = each.kernel.digest(each.signature)
        found.setdefault(digest, (each, []))[1].append(each.label)
    return found


def compile_one(digest: str) -> Built:
    """Compile the kernel of a digest."""
    from specgrad.runtime.kernels.cuda.compile import ptx, to_cubin

    _, kernel, signature = all_carried()[digest][0]
    text = ptx(kernel.make, signature)
    cubins = [to_cubin(text, target) for target in TARGETS]
    memory = [f" + {c.stack} + {c.spilled}" if c.stack or c.spilled else "" for c in cubins]
    taken = ", ".join(f"{c.registers}{more}" for c, more in zip(cubins, memory, strict=True))
    return Built(taken, tuple(c.code for c in cubins))


def compilers() -> str:
    """The line of the table that says what compiles."""
    return f"# numba-cuda {version('numba-cuda')}, nvJitLink {version('nvidia-nvjitlink')}"


def build(folder: Path = CARRIED) -> int:
    """Bring archives and table up to date; how many kernels were compiled."""
    wanted = all_carried()
    codes, table = known(folder)
    missing = [digest for digest in wanted if digest not in codes or wanted[digest][1][0] not in table]
    for digest, built in zip(missing, compiled(missing), strict=True):
        codes[digest] = built.codes
        table[wanted[digest][1][0]] = built.taken
    folder.mkdir(exist_ok=True)
    for place, target in enumerate(TARGETS):
        archive(target, folder).write_bytes(packed((digest, codes[digest][place]) for digest in wanted))
    lines = [f"{label}: {table[labels[0]]}" for _, labels in wanted.values() for label in labels]
    (folder / TABLE).write_text("\n".join([TITLE, compilers(), *sorted(lines)]) + "\n", encoding="utf-8")
    return len(missing)


def compiled(digests: Sequence[str]) -> list[Built]:
    """The kernels of some digests, compiled by several processes."""
    with ProcessPoolExecutor(min(4, os.cpu_count() or 1), get_context("spawn")) as processes:
        return list(processes.map(compile_one, digests, chunksize=8))


def known(folder: Path) -> tuple[dict[str, tuple[bytes, ...]], dict[str, str]]:
    """The machine code by digest, and the table, where the compilers that are installed made them."""
    paths = [archive(target, folder) for target in TARGETS]
    table = read_table(folder)
    if not table or not all(path.is_file() for path in paths):
        return {}, {}
    archives = [unpacked(path.read_bytes()) for path in paths]
    return {digest: tuple(each[digest] for each in archives) for digest in archives[0]}, table


def read_table(folder: Path = CARRIED) -> dict[str, str]:
    """What each kernel takes, by label; nothing where other compilers made the table."""
    path = folder / TABLE
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    if lines[:2] != [TITLE, compilers()]:
        return {}
    return dict(line.rsplit(": ", 1) for line in lines[2:])


def stale(folder: Path = CARRIED) -> list[str]:
    """Labels of kernels that the archives lack, or have another text of, and what is there besides."""
    codes, table = known(folder)
    wanted = all_carried()
    labels = {label for _, labels in wanted.values() for label in labels}
    missing = [labels[0] for digest, (_, labels) in wanted.items() if digest not in codes]
    unused = [digest for digest in codes if digest not in wanted]
    return [*missing, *sorted(labels ^ table.keys()), *unused]
