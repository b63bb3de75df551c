"""The operators of ONNX that a spec may name, as runtime/pytorch/exporting/onnx_operators.txt lists them.

A line an operator: `Gemm(A: T, B: T, C?: T; transB: int, alpha: float) -> Y: T`. Inputs with `?` may be left out, `*`
stands for any number; behind the semicolon are attributes.
"""

from __future__ import annotations

import functools
import math
import re
from pathlib import Path
from typing import NamedTuple

TABLE = Path(__file__).parents[2] / "runtime" / "pytorch" / "exporting" / "onnx_operators.txt"
_LINE = re.compile(r"(\w+)\((.*?)(?:; (.*))?\) -> (.*)")


class Operator(NamedTuple):
    """The fewest and the most inputs of an operator, and its attributes."""

    fewest: int
    max_args: float
    attributes: tuple[str, ...]


@functools.cache
def operators(path: Path = TABLE) -> dict[str, Operator]:
    return dict(_operator(line) for line in path.read_text(encoding="utf-8").splitlines())


def _operator(line: str) -> tuple[str, Operator]:
    match = _LINE.fullmatch(line)
    assert match is not None, line
    inputs = _names(match[2])
    needed = [position for position, name in enumerate(inputs, 1) if not name.endswith("?")]
    max_args = math.inf if inputs and inputs[-1].endswith("*") else len(inputs)
    return match[1], Operator(needed[-1] if needed else 0, max_args, tuple(_names(match[3] or "")))


def _names(text: str) -> list[str]:
    return [part.partition(":")[0] for part in text.split(", ") if part]
