"""Machine code by the digest of what it was compiled from but the processor, carried with specgrad or kept from an
earlier run. Also LLVM modules of lowered kernels, which come with specgrad, as lowering takes longer than LLVM then
does: found by the text that they were lowered from, they serve every version of Python."""

import functools
import hashlib
import lzma
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from ..passes.target import Target, host, levels, versions
from . import directory
from .archive import Archive, pack, seal, unseal

PREBUILT = Path(__file__).parent / "machine_code"
SUFFIX = ".kernels"
PAUSE = 0.005  # seconds between two looks at what another process compiles


def lookup(digest: bytes) -> bytes | None:
    for target, archive in archives():
        result = _unsealed(digest, target, archive.get(key(digest, target)))
        if result is not None:
            return result
    path = _path(digest)
    return None if path is None else _unsealed(digest, host(), directory.read(path))


def pause() -> None:
    time.sleep(PAUSE)


def obtain(digest: bytes, meanwhile: Callable[[], object] = pause) -> bytes | None:
    """As `lookup`, but another process that compiles it is waited for; who gets None calls `keep`, or `give_up`."""
    result, path = lookup(digest), _path(digest)
    if result is not None or path is None:
        return result
    while not directory.claim(path):
        meanwhile()
    result = _unsealed(digest, host(), directory.read(path))
    if result is not None:
        directory.release(path)
    return result


def keep(digest: bytes, code: bytes) -> None:
    """Keep code that was compiled for this processor; where that is not possible nothing happens."""
    path = _path(digest)
    if path is not None:
        directory.write(path, seal(key(digest, host()), code))
        directory.release(path)


def give_up(digest: bytes) -> None:
    """Nothing is kept: it could not be compiled, or holds something of this process."""
    path = _path(digest)
    if path is not None:
        directory.release(path)


def cache_folder() -> Path | None:
    return directory.cache_path("kernels")


def key(digest: bytes, target: Target) -> bytes:
    return hashlib.sha256(digest + repr((target, versions())).encode()).digest()


def described(target: Target) -> tuple[str, ...]:
    return (*target, *versions())


@functools.cache
def archives() -> tuple[tuple[Target, Archive], ...]:
    """The archives that come with specgrad, of levels whose code runs here, the best first."""
    if not PREBUILT.is_dir():
        return ()
    named = [(target, PREBUILT / f"{target.name}{SUFFIX}") for target in levels()]
    return tuple((target, Archive(path, described(target))) for target, path in named if path.is_file())


def _path(digest: bytes) -> Path | None:
    above = cache_folder()
    return None if above is None else above / key(digest, host()).hex()


def _unsealed(digest: bytes, target: Target, entry: bytes | None) -> bytes | None:
    return None if entry is None else unseal(key(digest, target), entry)


FOLDER = Path(__file__).parent / "llvm_modules"
MODULES_SUFFIX = ".modules"


def find(digest: bytes) -> bytes | None:
    result = archive()
    entry = None if result is None else result.get(digest)
    full = None if entry is None else unseal(digest, entry)
    return None if full is None else lzma.decompress(full)


@functools.cache
def archive() -> Archive | None:
    path = cache_path()
    return Archive(path, lowering_described()) if path.is_file() else None


def cache_path() -> Path:
    return FOLDER / f"{host().triple}{MODULES_SUFFIX}"


def lowering_described() -> tuple[str, ...]:
    """What the file says of itself: what decides how kernels are lowered, besides their text."""
    return host().triple, *versions()[1:]


def packed(entries: Mapping[bytes, bytes]) -> bytes:
    return pack({digest: seal(digest, lzma.compress(entry)) for digest, entry in entries.items()}, lowering_described())
