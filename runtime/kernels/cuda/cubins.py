"""Machine code of kernels: carried with specgrad, kept from an earlier run, or compiled now.

What is carried or kept is found by the digest of a kernel's text, so code of a text that has changed is never used.
Only what is found nowhere needs the compiler.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from ..cache import folder
from .signature import Make, Signature
from .text import digest

PREBUILT = Path(__file__).parent / "machine_code"
TARGETS = ((8, 0), (9, 0), (10, 0))  # capabilities for which code is carried: it runs on later minor versions, too


def cubin(make: Make, signature: Signature, cc: tuple[int, int]) -> bytes:
    """The machine code of a kernel for GPUs of a compute capability."""
    name = digest(make, signature)
    for target in (cc, (cc[0], 0)):
        if name in prebuilt(target):
            return prebuilt(target)[name]
    above = cache_folder()
    path = above and above / f"{name}.sm_{cc[0]}{cc[1]}.cubin"
    result = path and folder.read(path)
    if result:
        return result
    from .compile import compile_cubin

    code = compile_cubin(make, signature, cc)
    if path:
        folder.write(path, code)
    return code


def cache_folder() -> Path | None:
    """The folder of what this user's programs have compiled."""
    return folder.cache_path("cuda", "SPECGRAD_CUDA_CACHE")


@cache
def prebuilt(cc: tuple[int, int]) -> dict[str, bytes]:
    """The machine code that comes with specgrad for a capability, by digest."""
    path = archive(cc)
    return unpacked(path.read_bytes()) if path.is_file() else {}


def archive(cc: tuple[int, int], above: Path = PREBUILT) -> Path:
    return above / f"sm_{cc[0]}{cc[1]}.xz"


def packed(codes: Iterable[tuple[str, bytes]]) -> bytes:
    """An archive: a line that says which digests and how many bytes of code follow, and the code, under xz."""
    known = dict(codes)
    index = json.dumps({name: len(code) for name, code in known.items()})
    return lzma.compress(index.encode() + b"\n" + b"".join(known.values()), preset=9 | lzma.PRESET_EXTREME)


def unpacked(data: bytes) -> dict[str, bytes]:
    """What an archive holds."""
    text, _, codes = lzma.decompress(data).partition(b"\n")
    results: dict[str, bytes] = {}
    start = 0
    for name, size in json.loads(text).items():
        results[name] = codes[start : start + size]
        start += size
    return results
