"""A CUDA kernel: one Python text for the compiler, the simulator, and the digest. Its functions name the words of
`language.py`; `make` puts them together for a target, which says what the words mean, and a signature."""

import json
import lzma
import types
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from ...compiler.cache import directory
from ...extension_points import extension
from .signature import Array, Make, Signature, Target, digest

PREBUILT = Path(__file__).parent / "machine_code"
TARGETS = ((8, 0), (9, 0), (10, 0))  # capabilities for which code is carried: it runs on later minor versions, too


def cubin(make: Make, signature: Signature, cc: tuple[int, int]) -> bytes:
    name = digest(make, signature)
    for target in (cc, (cc[0], 0)):
        if name in prebuilt(target):
            return prebuilt(target)[name]
    above = cache_folder()
    path = above and above / f"{name}.sm_{cc[0]}{cc[1]}.cubin"
    result = path and directory.read(path)
    if result:
        return result
    from .compile import compile_cubin

    code = compile_cubin(make, signature, cc)
    if path:
        directory.write(path, code)
    return code


def cache_folder() -> Path | None:
    return directory.cache_path("cuda", "SPECGRAD_CUDA_CACHE")


@cache
def prebuilt(cc: tuple[int, int]) -> dict[str, bytes]:
    path = archive(cc)
    return unpacked(path.read_bytes()) if path.is_file() else {}


def archive(cc: tuple[int, int], above: Path = PREBUILT) -> Path:
    return above / f"sm_{cc[0]}{cc[1]}.xz"


def packed(codes: Iterable[tuple[str, bytes]]) -> bytes:
    known = dict(codes)
    index = json.dumps({name: len(code) for name, code in known.items()})
    return lzma.compress(index.encode() + b"\n" + b"".join(known.values()), preset=9 | lzma.PRESET_EXTREME)


def unpacked(data: bytes) -> dict[str, bytes]:
    text, _, codes = lzma.decompress(data).partition(b"\n")
    results: dict[str, bytes] = {}
    start = 0
    for name, size in json.loads(text).items():
        results[name] = codes[start : start + size]
        start += size
    return results


class Kernel:
    """`name`: for messages. `make`: (target, signature) -> the kernel's function; it calls `target.kernel` for that and
    `target.device` for the functions among its globals, and nothing else depends on the target: so the simulator runs,
    and the digest covers, what is compiled. Equal kernels are one object: the driver finds what it has loaded by it."""

    __slots__ = ("functions", "make", "name")

    def __init__(self, name: str, make: Make) -> None:
        self.name = name
        self.make = make
        self.functions: dict[Signature, types.FunctionType] = {}  # simulated ones

    def __repr__(self) -> str:
        return f"Kernel({self.name!r})"

    def simulated(self, signature: Signature) -> types.FunctionType:
        if signature not in self.functions:
            self.functions[signature] = self.make(extension("kernel_interpreter"), signature)
        return self.functions[signature]

    def cubin(self, signature: Signature, cc: tuple[int, int]) -> bytes:
        return cubin(self.make, signature, cc)

    def digest(self, signature: Signature) -> str:
        return digest(self.make, signature)


__all__ = ["Array", "Kernel", "Signature", "Target"]
