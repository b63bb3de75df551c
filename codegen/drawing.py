"""`python -m codegen pictures`: draws every pictured op and its gradient, both as the framework computes them."""

from __future__ import annotations

import ast
import importlib
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np

from .curves import grid, pieces, window
from .model import Entry, Spec
from .picture import picture
from .pictured import picture_files, plain_values
from .write import Files, read

NUMBER = re.compile(r"-?\d+\.?\d*")
LAST_DIGIT = 0.11  # by which a coordinate may differ where another processor rounds otherwise


def pictures_command(spec: Spec, root: Path, only_check: bool) -> int:
    """Write the pictures that are new or differ and remove the others, or with `only_check` name them."""
    found = drawn(spec)
    stale = [name for name, text in found.items() if not same_picture(text, read(root / name))]
    gone = sorted(path.name for path in root.glob("*.svg") if path.name not in found)
    for name in [*stale, *gone]:
        print(f"{'stale' if only_check else 'wrote' if name in found else 'removed'} {root.name}/{name}")
    if only_check:
        print("run `python -m codegen pictures`\n" * bool(stale or gone), end="", file=sys.stderr)
        return 1 if stale or gone else 0
    root.mkdir(parents=True, exist_ok=True)
    for name in stale:
        (root / name).write_text(found[name], encoding="utf-8")
    for name in gone:
        (root / name).unlink()
    print(f"{len(found)} pictures, {len(stale)} written, {len(gone)} removed")
    return 0


def drawn(spec: Spec) -> Files:
    """All pictures by the names of their files."""
    entries = spec.by_name()
    return {file: drawing(entries[name]) for name, file in picture_files(entries).items()}


def drawing(entry: Entry) -> str:
    """The picture of one op."""
    x = grid(entry.domain.get("self"))
    y, slope = function_and_slope(entry, x)
    seen = window(x, y, slope)
    return picture(entry.schema.name, seen, pieces(x, y, seen), pieces(x, slope, seen))


def function_and_slope(entry: Entry, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The op on some numbers and its gradient there; nan where it has none."""
    specgrad = importlib.import_module("specgrad")
    op: Any = importlib.import_module("specgrad.generated.registry").BY_NAME[entry.name]
    held = {name: ast.literal_eval(value) for name, value in plain_values(entry).items()}
    x = specgrad.tensor(points, requires_grad=True)
    result = op.function(x, **held)
    if not result.requires_grad:
        return result.numpy(), np.full_like(points, np.nan)
    (gradient,) = specgrad.autograd.grad(result.sum(), [x])
    values = result.detach().numpy()
    return values, np.where(np.isnan(values), np.nan, gradient.numpy())


def same_picture(text: str, old: str | None) -> bool:
    """Whether two pictures differ at most in the last digit of coordinates."""
    if old is None or NUMBER.sub("", text) != NUMBER.sub("", old):
        return False
    pairs = zip(NUMBER.findall(text), NUMBER.findall(old), strict=True)
    return all(abs(float(a) - float(b)) < LAST_DIGIT for a, b in pairs)
