"""The kernels of texts that are written by hand, for the signatures with which the samples of the spec launch them.

A line of `texts.txt` says one: what makes it, the module and name of the text, the dtype that it computes in, and the
signature. `python -m codegen cubins --record` brings the lines up to date (`recording.py`).
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from specgrad.runtime.kernels.cuda.element import text_kernel
from specgrad.runtime.kernels.cuda.indexed import indexed_kernel
from specgrad.runtime.kernels.cuda.kernel import Array, Kernel

from .known import Known

FILE = Path(__file__).parent / "texts.txt"
RUNTIME = "specgrad.runtime."
TOKEN = re.compile(r"[(),]|\w+(?:\[\])?")


def text_kernels() -> Iterator[Known]:
    """Those of the lines whose texts are still there."""
    for line in lines():
        kernel = kernel_of(line)
        if kernel is not None:
            yield Known(f"text {line}", kernel, signature_of(line.split(" ", 3)[3]))


def lines() -> list[str]:
    return FILE.read_text(encoding="utf-8").splitlines() if FILE.is_file() else []


def kernel_of(line: str) -> Kernel | None:
    """The kernel of a line; None where its text is gone."""
    maker, name, dtype, _ = line.split(" ", 3)
    module, _, text = name.rpartition(".")
    function = getattr(importlib.import_module(RUNTIME + module), text, None)
    if function is None:
        return None
    computed = dtype_of(dtype)
    return text_kernel(function, computed) if maker == "element" else indexed_kernel(function, computed, False)


def dtype_of(name: str) -> np.dtype:
    return np.dtype(ml_dtypes.bfloat16) if name == "bfloat16" else np.dtype(name)


def signature_of(text: str) -> Any:
    """The signature that a text describes; see kernels/cuda/text.py."""
    tokens = TOKEN.findall(text)

    def part(at: int) -> tuple[Any, int]:
        if tokens[at] != "(":
            name = tokens[at]
            return (Array(dtype_of(name[:-2])) if name.endswith("[]") else dtype_of(name)), at + 1
        found, at = [], at + 1
        while tokens[at] != ")":
            value, at = part(at + (tokens[at] == ","))
            found.append(value)
        return tuple(found), at + 1

    return part(0)[0]
