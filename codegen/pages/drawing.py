"""`python -m codegen pictures`: draws every pictured op and its gradient, both as the framework computes them."""

from __future__ import annotations

import ast
import importlib
import re
import sys
from pathlib import Path

import numpy as np

from ..emit.write import Files, differences, plan
from ..library.manifest import MANIFEST, listed
from ..library.ownership import Refused, plain_bytes
from ..progress import Progress
from ..spec.model import Entry, Spec
from ..verify.command import LIMIT, PACKAGE
from ..verify.isolation import Lost, answers
from ..verify.processes import Package, registry
from .curves import grid, pieces, window
from .picture import picture
from .pictured import picture_files, plain_values

COMMAND = "codegen pictures"
REPAIR = f"python -m {COMMAND}"
NUMBER = re.compile(r"-?\d+\.?\d*")
LAST_DIGIT = 0.11  # by which a coordinate may differ where another processor rounds otherwise


def pictures_command(spec: Spec, root: Path, only_check: bool, package: Package = PACKAGE, repair: str = REPAIR) -> int:
    """Write the pictures that are new or differ, remove those no longer asked for; with `only_check` show them."""
    new = draw_pictures(spec, package) if package == PACKAGE else draw_isolated(spec, package)
    results = {name: same_or_new(root / name, text) for name, text in new.items()}
    files = listed(results, COMMAND, spec.file)
    if only_check:
        lines = differences(root, files)
        sys.stdout.writelines(lines)
        print(f"run `{repair}`\n" * bool(lines), end="", file=sys.stderr)
        return 1 if lines else 0
    planned = plan(root, files)
    planned.carry_out()
    for what, names in (("wrote", planned.changed), ("removed", planned.gone), ("left", planned.retained)):
        print("".join(f"{what} {root.name}/{name}\n" for name in names), end="")
    written = [name for name in planned.changed if name != MANIFEST]
    print(f"{len(files) - 1} pictures, {len(written)} written, {len(planned.gone)} removed")
    return 0


def same_or_new(path: Path, text: str) -> str:
    """The picture that lies there if it differs at most in the last digit of coordinates, else the new one."""
    old = (plain_bytes(path) or b"").decode("utf-8", errors="replace")
    return old if same_picture(text, old) else text


def draw_isolated(spec: Spec, package: Package) -> Files:
    """All pictures of a package outside the tree, which is imported in a process of its own."""
    ((_, result),) = answers([(draw_pictures, (spec, package))], LIMIT, 1)
    if isinstance(result, Lost):
        raise Refused(f"pictures: drawing {result.how}")
    return result


def draw_pictures(spec: Spec, package: Package = PACKAGE) -> Files:
    entries = spec.by_name()
    files = picture_files(entries)
    results: Files = {}
    with Progress(len(files), "pictures") as progress:
        for name, file in files.items():
            results[file] = drawing(entries[name], package)
            progress.step()
    return results


def drawing(entry: Entry, package: Package) -> str:
    x = grid(entry.domain.get("self"))
    y, gradient = function_and_gradient(entry, x, package)
    seen = window(x, y, gradient)
    return picture(entry.schema.name, seen, pieces(x, y, seen), pieces(x, gradient, seen))


def function_and_gradient(
    entry: Entry, points: np.ndarray, package: Package = PACKAGE
) -> tuple[np.ndarray, np.ndarray]:
    """The op on some numbers and its gradient there; nan where it has none."""
    specgrad = importlib.import_module("specgrad")
    op = registry(package)[entry.name]
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
