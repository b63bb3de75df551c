"""`python -m codegen cubins`: compile the CUDA kernels that come with specgrad, where text or compiler changed.

Archives have machine code; a line of the table says what a kernel takes of a GPU, and by which text it was measured,
by the beginning of its digest. All known kernels are measured, those of usual dtypes carried in the archives, too.
"""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from importlib.metadata import version
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from specgrad.runtime.kernels.cuda.kernel import PREBUILT, TARGETS, archive, packed, unpacked

from ..project.progress import Progress
from .array_kernels import moving_kernels, multi_tensor_kernels, sorting_kernels
from .elementwise_kernels import element_kernels, row_kernels, source_kernels
from .known_kernels import Known

MAKERS = (element_kernels, row_kernels, multi_tensor_kernels, moving_kernels, sorting_kernels, source_kernels)


def all_known() -> Iterator[Known]:
    return chain.from_iterable(make() for make in MAKERS)


TABLE = "registers.txt"
PYTHON = (3, 11)  # whose bytecode table and archives were compiled from: another one's may take other registers
NAMED = ", ".join(f"sm_{major}{minor}" for major, minor in TARGETS)
TITLE = f"# Registers of a thread, + bytes of stack, + bytes spilled, for {NAMED}"
SHORT = 12  # characters of a digest in the table
DIGEST = " of "  # what it follows there


class Built(NamedTuple):
    """What a kernel takes of a GPU, as the table has it, and its machine code for each target if that is carried."""

    register_counts: str
    codes: tuple[bytes, ...]


@cache
def required() -> dict[str, list[Known]]:
    results: dict[str, list[Known]] = {}
    for each in all_known():
        results.setdefault(each.kernel.digest(each.signature), []).append(each)
    return results


def is_prebuilt(digest: str) -> bool:
    return any(each.is_prebuilt for each in required()[digest])


def compile_one(digest: str) -> Built:
    from specgrad.runtime.kernels.cuda.compile import ptx, to_cubin

    known = required()[digest][0]
    text = ptx(known.kernel.make, known.signature)
    cubins = [to_cubin(text, target) for target in TARGETS]
    memory = [f" + {c.stack} + {c.spilled}" if c.stack or c.spilled else "" for c in cubins]
    register_counts = ", ".join(f"{c.registers}{more}" for c, more in zip(cubins, memory, strict=True))
    return Built(register_counts, tuple(c.code for c in cubins) if is_prebuilt(digest) else ())


def compilers() -> str:
    return f"# numba-cuda {version('numba-cuda')}, nvJitLink {version('nvidia-nvjitlink')}"


def build(folder: Path = PREBUILT) -> int:
    """Bring archives and table up to date; how many kernels were compiled. Who is interrupted goes on from there."""
    folder.mkdir(exist_ok=True)
    codes, register_counts = known(folder)
    missing = [digest for digest in required() if is_missing(digest, codes, register_counts)]
    try:
        with Progress(len(missing), "kernels") as progress:
            for digest, built in zip(missing, compiled(missing), strict=True):
                register_counts[digest[:SHORT]] = built.register_counts
                if built.codes:
                    codes[digest] = built.codes
                progress.step()
    finally:
        write(folder, codes, register_counts)
    return len(missing)


def is_missing(digest: str, codes: dict[str, Any], register_counts: dict[str, str]) -> bool:
    return digest[:SHORT] not in register_counts or (is_prebuilt(digest) and digest not in codes)


def write(folder: Path, codes: dict[str, tuple[bytes, ...]], register_counts: dict[str, str]) -> None:
    prebuilt = [digest for digest in required() if is_prebuilt(digest) and digest in codes]
    for position, target in enumerate(TARGETS):
        archive(target, folder).write_bytes(packed((digest, codes[digest][position]) for digest in prebuilt))
    lines = [
        f"{each.label}: {register_counts[digest[:SHORT]]}{DIGEST}{digest[:SHORT]}"
        for digest, labelled in required().items()
        if digest[:SHORT] in register_counts
        for each in labelled
    ]
    (folder / TABLE).write_text("\n".join([TITLE, compilers(), *sorted(lines)]) + "\n", encoding="utf-8")


def compiled(digests: Sequence[str]) -> Iterator[Built]:
    with ProcessPoolExecutor(min(4, os.cpu_count() or 1), get_context("spawn")) as processes:
        yield from processes.map(compile_one, digests, chunksize=8)


def known(folder: Path) -> tuple[dict[str, tuple[bytes, ...]], dict[str, str]]:
    paths = [archive(target, folder) for target in TARGETS]
    table = read_table(folder)
    if not table or not all(path.is_file() for path in paths):
        return {}, {}
    archives = [unpacked(path.read_bytes()) for path in paths]
    # In all of them: somebody may have been interrupted between writing one and another.
    full = [digest for digest in archives[0] if all(digest in each for each in archives)]
    codes = {digest: tuple(each[digest] for each in archives) for digest in full}
    return codes, {digest: register_counts for register_counts, digest in table.values()}


def read_table(folder: Path = PREBUILT) -> dict[str, tuple[str, str]]:
    path = folder / TABLE
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    if lines[:2] != [TITLE, compilers()]:
        return {}
    pairs = (line.rsplit(": ", 1) for line in lines[2:])
    return {label: (text.partition(DIGEST)[0], text.partition(DIGEST)[2]) for label, text in pairs}


def stale(folder: Path = PREBUILT) -> list[str]:
    codes, register_counts = known(folder)
    labels = {each.label for labelled in required().values() for each in labelled}
    lost = [each for digest, each in required().items() if is_missing(digest, codes, register_counts)]
    missing = [labelled[0].label for labelled in lost]
    unused = [digest for digest in codes if digest not in required()]
    return [*missing, *sorted(labels ^ read_table(folder).keys()), *unused]


def cubins_command(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m codegen cubins", description=__doc__)
    parser.add_argument("--check", action="store_true", help="only compare; exit 1 when stale")
    record = "run the samples of the spec, and note the signatures of the texts that are written by hand"
    parser.add_argument("--record", action="store_true", help=record)
    options = parser.parse_args(argv)
    if options.record:
        from .recorded_launches import record as recorded

        print(f"{recorded()} signatures of texts")
        return 0
    if not options.check:
        print(f"{build()} kernels compiled")
        return 0
    result = stale()
    for label in result[:20]:
        print(f"stale: {label}", file=sys.stderr)
    return 1 if result else 0
