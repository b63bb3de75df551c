"""What samples of the spec and optimizers launch on a device: the lines of `launched.txt`, and how they are read.

A line says what makes a kernel, what that is given, and the signature: `rows softmax rows float32 (float16[], ...)`.
`python -m codegen cubins --record` brings them up to date. float16 stands for both floats of 16 bits.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

from specgrad.runtime.kernels.cuda.kernel import Array, Kernel, Signature

FILE = Path(__file__).parent / "launched.txt"
TOKEN = re.compile(r"[(),]|\w+(?:\[\])?")


@cache
def lines() -> tuple[str, ...]:
    result = FILE.read_text(encoding="utf-8").splitlines() if FILE.is_file() else []
    return tuple(dict.fromkeys(each for line in result for each in (line, line.replace("float16", "bfloat16"))))


def launched(maker: str) -> Iterator[tuple[str, list[str], Signature]]:
    for line in lines():
        head, _, signature = line.partition(" (")
        name, *phrases = head.split(" ")
        if name == maker:
            yield line, phrases, signature_of(f"({signature}")


def dtype_of(name: str) -> np.dtype:
    return np.dtype(ml_dtypes.bfloat16) if name == "bfloat16" else np.dtype(name)


def signature_of(text: str) -> Any:
    tokens = TOKEN.findall(text)

    def part(at: int) -> tuple[Any, int]:
        if tokens[at] != "(":
            name = tokens[at]
            return (Array(dtype_of(name[:-2])) if name.endswith("[]") else dtype_of(name)), at + 1
        result, at = [], at + 1
        while tokens[at] != ")":
            value, at = part(at + (tokens[at] == ","))
            result.append(value)
        return tuple(result), at + 1

    return part(0)[0]


class Known(NamedTuple):
    """A kernel for a signature, what the table of registers calls it, and whether its machine code is carried."""

    label: str
    kernel: Kernel
    signature: Signature
    is_prebuilt: bool = False
