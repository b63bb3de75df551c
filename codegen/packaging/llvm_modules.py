"""`python -m codegen modules`: lower the kernels that training begins with, whose LLVM modules come with specgrad.

How a kernel is lowered depends on the vectors of the processor that it is for, so each level of processors has a
process of its own, which compiles for it. The native code that every program needs is the same on all of them, and so
it is carried as machine code, for the version of Python that runs here: it reads and writes Python's objects.
"""

import argparse
import os
import pickle
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any
from unittest.mock import patch

from numba.core.serialize import dumps

from specgrad.runtime.compiler.cache import precompile, store
from specgrad.runtime.compiler.cache.dispatcher import KernelCache, parts_of
from specgrad.runtime.compiler.passes.code_library import KernelLibrary
from specgrad.runtime.kernels import warmup

from ..project.progress import Progress

LEVELS = ("x86-64-v3", "x86-64-v4")  # with fused products; who has an older processor compiles all of it
ADDRESS = re.compile(r"^(@numba\.dynamic\.globals\.)\w+ = linkonce global ptr inttoptr \(i64 \d+ to ptr\)$", re.M)
Entries = dict[bytes, bytes]


def modules_command(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m codegen modules", description=__doc__)
    parser.add_argument("--check", action="store_true", help="only compare; exit 1 when stale")
    options = parser.parse_args(argv)
    matches = [in_process(level, options.check) for level in LEVELS]
    requested = set(chain(*matches))
    archive = store.archive()
    missing = {digest for entries in matches for digest, entry in entries.items() if not entry}
    unused = {*archive.keys()} - requested if archive is not None else set()
    if options.check:
        for level, entries in zip(LEVELS, matches, strict=True):
            print(f"{level}: {sum(not entry for entry in entries.values())} of {len(entries)} modules are missing")
        print(f"{len(unused)} modules are of no use")
        return 1 if missing or unused else 0
    data = store.packed({digest: entry for entries in matches for digest, entry in entries.items()})
    replace(store.cache_path(), data)
    print(f"{len(requested)} modules, {len(data) / 1e6:.1f} MB")
    return 0


def replace(path: Path, data: bytes) -> None:
    """Write a file at once: who is interrupted leaves the one that was there."""
    path.parent.mkdir(exist_ok=True)
    part = path.with_suffix(".part")
    part.write_bytes(data)
    part.replace(path)


def in_process(level: str, only_known: bool) -> Entries:
    with tempfile.TemporaryDirectory() as folder:
        named = {"NUMBA_CPU_NAME": level, "NUMBA_CPU_FEATURES": "", "SPECGRAD_CACHE_DIR": folder}
        named[precompile.SETTING] = "0"
        command = [sys.executable, "-m", __spec__.name, *(["--known"] if only_known else [])]
        done = subprocess.run(command, env={**os.environ, **named}, stdout=subprocess.PIPE, check=True)
    return pickle.loads(done.stdout)


def entries(only_known: bool) -> Entries:
    results = {digest: store.find(digest) or b"" for digest in [*kernels(), *units()]}
    missing = [digest for digest, entry in results.items() if not entry]
    if not only_known:
        results |= lower([line for digest, line in kernels().items() if digest in missing])
        results |= {digest: unit.compiled() for digest, unit in units().items() if digest in missing}
    return results


def kernels() -> dict[bytes, str]:
    lines = dict.fromkeys(chain(*chain(*precompile.programs().values())))
    return {cache_of(line).lowered_from(kinds_of(line)): line for line in lines}


def cache_of(line: str) -> KernelCache:
    module, name, _ = line.split(" ", 2)
    return warmup.dispatcher_of(module, name)._cache


def kinds_of(line: str) -> tuple[Any, ...]:
    return warmup.kinds_of(line.split(" ", 2)[2])


def units() -> dict[bytes, Any]:
    matches = [getattr(import_module(f"{warmup.OWN}.{module}"), name) for module, name in warmup.UNITS]
    return {unit.digest(): unit for unit in matches}


def lower(lines: Sequence[str]) -> Entries:
    result, sources = Entries(), dict[Any, str]()
    optimise, save = KernelLibrary._optimize_final_module, KernelCache.save_overload

    def noted(library: Any) -> None:
        sources[library] = nameless(str(library._final_module))
        optimise(library)

    def save_lowered(cache: KernelCache, sig: Any, data: Any) -> None:
        save(cache, sig, data)
        name, _, *rest = parts_of(data)
        result[cache.lowered_from(sig)] = dumps((name, sources[data.library], *rest))

    lowering = patch.object(KernelLibrary, "_optimize_final_module", noted)
    saving = patch.object(KernelCache, "save_overload", save_lowered)
    with lowering, saving, Progress(len(lines), "kernels") as progress:
        for line in lines:
            warmup.compile_line(line)
            progress.step()
    return result


def nameless(text: str) -> str:
    """A module without the addresses of this process's functions, which no kernel reads."""
    names = {result[0]: f"{result[1]}{i}" for i, result in enumerate(ADDRESS.finditer(text))}
    for line, name in names.items():
        text = text.replace(line.partition(" ")[0], name).replace(line.partition(" ")[2], "= linkonce global ptr null")
    return text


if __name__ == "__main__":
    sys.stdout.buffer.write(pickle.dumps(entries("--known" in sys.argv)))
