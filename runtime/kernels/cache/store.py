"""Machine code by the digest of what it was compiled from: carried with specgrad, or kept from an earlier run.

`lookup` and `keep` know nothing of what compiles. The digest has all that the code depends on but the processor: this
module knows for which one code is looked up, and for which one it is compiled.
"""

from __future__ import annotations

import functools
import hashlib
import time
from collections.abc import Callable
from pathlib import Path

from . import claims, folder
from .archive import Archive
from .sealed import seal, unseal
from .target import Target, host, levels, versions

CARRIED = Path(__file__).parent / "machine_code"
SUFFIX = ".kernels"
PAUSE = 0.005  # seconds between two looks at what another process compiles


def lookup(digest: bytes) -> bytes | None:
    """Code that was compiled from what has this digest, for this processor or a level of its; None if there is none."""
    for target, archive in archives():
        found = _unsealed(digest, target, archive.get(key(digest, target)))
        if found is not None:
            return found
    path = _path(digest)
    return None if path is None else _unsealed(digest, host(), folder.read(path))


def pause() -> None:
    """Let another process go on for a moment."""
    time.sleep(PAUSE)


def obtain(digest: bytes, meanwhile: Callable[[], object] = pause) -> bytes | None:
    """As `lookup`, but another process that compiles it is waited for; who gets None calls `keep`, or `give_up`.

    `meanwhile` is called again and again while there is one.
    """
    found, path = lookup(digest), _path(digest)
    if found is not None or path is None:
        return found
    while not claims.claim(path):
        meanwhile()
    found = _unsealed(digest, host(), folder.read(path))
    if found is not None:
        claims.release(path)
    return found


def keep(digest: bytes, code: bytes) -> None:
    """Keep code that was compiled for this processor; where that is not possible nothing happens."""
    path = _path(digest)
    if path is not None:
        folder.write(path, seal(key(digest, host()), code))
        claims.release(path)


def give_up(digest: bytes) -> None:
    """Nothing is kept: it could not be compiled, or holds something of this process."""
    path = _path(digest)
    if path is not None:
        claims.release(path)


def kept_in() -> Path | None:
    """The folder of what this user's programs have compiled."""
    return folder.place("kernels")


def key(digest: bytes, target: Target) -> bytes:
    """The name of code for one processor or level."""
    return hashlib.sha256(digest + repr((target, versions())).encode()).digest()


def described(target: Target) -> tuple[str, ...]:
    """What an archive says of itself."""
    return (*target, *versions())


@functools.cache
def archives() -> tuple[tuple[Target, Archive], ...]:
    """The archives that come with specgrad, of levels whose code runs here, the best first."""
    if not CARRIED.is_dir():
        return ()
    named = [(target, CARRIED / f"{target.name}{SUFFIX}") for target in levels()]
    return tuple((target, Archive(path, described(target))) for target, path in named if path.is_file())


def _path(digest: bytes) -> Path | None:
    above = kept_in()
    return None if above is None else above / key(digest, host()).hex()


def _unsealed(digest: bytes, target: Target, entry: bytes | None) -> bytes | None:
    return None if entry is None else unseal(key(digest, target), entry)
