"""Compiling for a level of processors: recipes run in processes for which that processor has been named."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from specgrad.runtime.kernels.cache.ahead import SETTING
from specgrad.runtime.kernels.cache.archive import pack
from specgrad.runtime.kernels.cache.sealed import seal, unseal
from specgrad.runtime.kernels.cache.store import described
from specgrad.runtime.kernels.cache.target import Target

ROOT = Path(__file__).resolve().parents[2]
BATCH_RECIPES = 8  # recipes that one process runs
BEST = 9  # of zlib's levels: packed once, unpacked as fast as ever


def archive_of(level: Target, names: Sequence[str], folder: Path, jobs: int) -> bytes:
    """The archive of what recipes compile for a level; what an earlier run left in the folder is not compiled again."""
    begin, used = time.perf_counter(), set[str]()
    parts = [names[i :: -(-len(names) // BATCH_RECIPES)] for i in range(-(-len(names) // BATCH_RECIPES))]
    with ThreadPoolExecutor(jobs) as pool:
        waiting = [pool.submit(run, level, part, folder) for part in parts]
        for count, done in enumerate(as_completed(waiting), 1):
            used.update(done.result())
            seconds = time.perf_counter() - begin
            print(f"{level.name}: {count} of {len(parts)} parts, {len(used)} kernels, {seconds:.0f} s", flush=True)
    return pack(dict(entries(folder / "kernels" / name for name in used)), described(level))


def run(level: Target, names: Sequence[str], folder: Path) -> list[str]:
    named = {"NUMBA_CPU_NAME": level.name, "NUMBA_CPU_FEATURES": level.features, "SPECGRAD_CACHE_DIR": str(folder)}
    environment = {**os.environ, **named, "PYTHONPATH": str(ROOT), SETTING: "0"}
    command = [sys.executable, "-W", "ignore", "-m", "codegen.wheel.recipes", *names]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    if done.returncode:
        print(f"{level.name}: {' '.join(names)}\n{done.stderr}", file=sys.stderr)
    return done.stdout.split()


def entries(paths: Iterable[Path]) -> Iterator[tuple[bytes, bytes]]:
    """Entries by their keys, packed as small as they get."""
    for path in paths:
        key = bytes.fromhex(path.name)
        code = unseal(key, path.read_bytes())
        if code is not None:
            yield key, seal(key, code, BEST)
