"""PyTorch beside specgrad: its functions under the same names, the same arguments, and whether two calls end alike.

What may differ stands in docs/pytorch-details.md, in the table that `LINES` reads. Without PyTorch nothing is compared.
"""

from __future__ import annotations

import functools
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

import specgrad as sg
from tests.repository import ROOT

from .calls import expanded

try:
    import torch
except ImportError:
    torch = None

PAGE = ROOT / "docs" / "pytorch-details.md"
SPACES = ("", "nn.functional", "linalg", "special", "fft")
TOLERANCE = {
    "float64": 1e-10,
    "complex128": 1e-10,
    "float32": 2e-5,
    "complex64": 2e-5,
    "float16": 4e-3,
    "bfloat16": 3e-2,
}
EXPECTED = (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError)


@dataclass(frozen=True)
class Line:
    """One line of the table: ops and calls (both with `*` for anything) that PyTorch answers in another way."""

    ops: tuple[str, ...]
    calls: tuple[str, ...]
    why: str

    def covers(self, name: str, call: str) -> bool:
        known = any(fnmatchcase(each, op) for each in (name, name.partition(".")[0]) for op in self.ops)
        return known and any(fnmatchcase(call, pattern) for pattern in self.calls)


def read_lines(page: str) -> list[Line]:
    """The rows of the page's table: ops, calls, and what differs and why."""
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| `")]
    listed = [(ops.replace("`", "").split(", "), calls.replace("`", "").split(", "), why) for ops, calls, why in rows]
    return [Line(tuple(ops), tuple(calls), why) for ops, calls, why in listed]


LINES = read_lines(PAGE.read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Pair:
    """A public function or method of specgrad, and PyTorch's under the same name."""

    ours: Callable[..., Any]
    theirs: Callable[..., Any] | None
    is_method: bool


@functools.cache  # the error of a name that is not there takes milliseconds
def public(name: str) -> Pair | None:
    """What users call for an entry, a generated function or else a method; None if it is no part of the API."""
    base = name.partition(".")[0]
    method = getattr(sg.Tensor, base, None)
    methods = None if method is None or base.startswith("_") else Pair(method, reached(torch, f"Tensor.{base}"), True)
    for path in paths(base):
        function, theirs = reached(sg, path), reached(torch, path)
        if getattr(function, "__module__", "").startswith("specgrad.generated.ops."):
            return methods if methods and torch and theirs is None else Pair(function, theirs, False)
    return methods


def paths(base: str) -> Iterator[str]:
    """Where a function of this name may be; one named `linalg_x` is `linalg.x` for users."""
    for space in SPACES:
        yield from dict.fromkeys(f"{space}.{name}" for name in (base, base.removeprefix(f"{space}_")))


def reached(root: Any, path: str) -> Any:
    """The object at a dotted path, or None."""
    for part in filter(None, path.split(".")):
        root = getattr(root, part, None)
    return root


def to_torch(value: Any) -> Any:
    """The same argument for PyTorch, in the same layout if it is one of `Style(strided=True)`."""
    if isinstance(value, list | tuple):
        return type(value)(to_torch(item) for item in value)
    if isinstance(value, sg.dtype):
        return getattr(torch, value.name)
    if not isinstance(value, sg.Tensor):
        return value
    array = (value.float() if value.dtype is sg.bfloat16 else value).detach().numpy()
    strided = value.ndim > 0 and not value.is_contiguous()
    made = torch.tensor(expanded(array) if strided else array).to(getattr(torch, value.dtype.name))
    made = made[..., 0].permute(tuple(reversed(range(array.ndim)))) if strided else made
    return made.requires_grad_(value.requires_grad)


def attempt(
    function: Callable[..., Any], positional: Iterable[Any], named: dict[str, Any]
) -> tuple[Any, ...] | Exception:
    """The outputs of a call as a tuple, or the exception; tensors are copied, so that a call may write to them."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # each library has its own
            found = function(*map(copied, positional), **{key: copied(value) for key, value in named.items()})
    except Exception as error:
        return error
    return tuple(found) if isinstance(found, list | tuple) else (found,)


def copied(value: Any) -> Any:
    """A tensor with its own memory in the same layout; other values as they are."""
    is_tensor = isinstance(value, sg.Tensor) or (torch is not None and isinstance(value, torch.Tensor))
    return value.clone() if is_tensor and not value.requires_grad and value.is_contiguous() else value


NO_KERNEL = re.compile(  # what PyTorch says of dtypes that it does not compute in, or not beside each other
    r"not (yet )?implemented for|does not support|inputs? not supported|not supported for|can't be cast|"
    r"expected (scalar type|dtype)|to have the same (type|dtype)"
)


def difference(
    ours: tuple[Any, ...] | Exception, theirs: tuple[Any, ...] | Exception, given: Iterable[Any] = ()
) -> str:
    """In what two calls differ; empty where they end alike. The least exact of the arguments sets the tolerance.

    Where PyTorch refuses a dtype, specgrad may compute, or raise another RuntimeError. Where PyTorch's Python code
    looks at a value before its type, the error of a wrong type may be another one.
    """
    if isinstance(theirs, Exception) and NO_KERNEL.search(str(theirs)):
        return "" if isinstance(ours, tuple | RuntimeError) else f"{shown(ours)}, not {shown(theirs)}"
    wrong_type = isinstance(ours, TypeError) and re.search(" must be |invalid combination", str(ours)) is not None
    if wrong_type and isinstance(theirs, AttributeError | ValueError):
        return ""
    if isinstance(ours, Exception) or isinstance(theirs, Exception):
        alike = isinstance(ours, type(theirs)) or type(ours).__name__ == type(theirs).__name__.strip("_")
        return "" if alike else f"{shown(ours)}, not {shown(theirs)}"
    if len(ours) != len(theirs):
        return f"{len(ours)} outputs, not {len(theirs)}"
    loosest = max((TOLERANCE.get(x.dtype.name, 0) for x in given if isinstance(x, sg.Tensor)), default=0)
    return next(filter(None, (unlike(one, other, loosest) for one, other in zip(ours, theirs, strict=True))), "")


def shown(outcome: tuple[Any, ...] | Exception) -> str:
    """An outcome in one line."""
    return " ".join(f"{type(outcome).__name__}: {outcome}".split())[:200]


def unlike(ours: Any, theirs: Any, tolerance: float = 0) -> str:
    """In what two outputs differ: kind, shape, dtype, or values beyond rounding in the dtype and the tolerance."""
    if not isinstance(ours, sg.Tensor):
        return "" if type(ours) is type(theirs) and ours == theirs else f"{ours}, not {theirs}"
    if tuple(ours.shape) != tuple(theirs.shape):
        return f"shape {tuple(ours.shape)}, not {tuple(theirs.shape)}"
    if ours.dtype.name != str(theirs.dtype).rpartition(".")[2]:
        return f"dtype {ours.dtype}, not {theirs.dtype}"
    got, right = values(ours), values(theirs)
    tolerance = max(tolerance, TOLERANCE.get(ours.dtype.name, 0))
    same = np.allclose(got, right, rtol=tolerance, atol=tolerance, equal_nan=True)
    return "" if same else f"{got.tolist()}, not {right.tolist()}"


def values(tensor: Any) -> np.ndarray:
    """The numbers of a tensor of either library, in float64 or complex128."""
    module_name = sg if isinstance(tensor, sg.Tensor) else torch
    plain = tensor.detach().clone() if module_name is sg else tensor.detach().clone().resolve_conj().resolve_neg()
    return np.asarray(plain.to(module_name.complex128 if tensor.is_complex() else module_name.float64).numpy())


def crashes(name: str, call: str) -> bool:
    """Whether a line says that PyTorch crashes by a call, which is then not made."""
    return any(line.covers(name, call) and "PyTorch crashes" in line.why for line in LINES)


def documented(name: str, call: str) -> bool:
    """Whether a line of docs/pytorch-details.md tells of the difference."""
    return any(line.covers(name, call) for line in LINES)
