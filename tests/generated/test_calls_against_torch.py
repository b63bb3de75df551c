"""Every public op called in many ways: forms that mean the same, unlike dtypes, bad arguments.

Without PyTorch: forms agree with each other, dtypes are promoted by the rule that the spec states, and what is refused
is refused by an error of an expected class. With PyTorch: every call ends as its own, or docs/pytorch-details.md says
why not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import specgrad as sg

from .call_variants import Call, bad, forms, mixed
from .calls import BY_NAME, NAMES
from .torch_calls import EXPECTED, LINES, Pair, attempt, crashes, difference, documented, public, to_torch, torch

PUBLIC: dict[str, Pair] = {name: pair for name in NAMES if (pair := public(name)) is not None}
PUBLISHED = [name for name, pair in PUBLIC.items() if pair.theirs is not None]
VARIANTS: list[Callable[[str], Iterator[Call]]] = [lambda name: forms(name, PUBLIC[name].is_method), mixed, bad]


def disagreements(name: str, calls: Iterator[Call]) -> list[tuple[Call, str]]:
    """The calls that PyTorch answers in another way, with the difference."""
    pair = PUBLIC[name]
    found = []
    for call in calls if pair.theirs is not None else ():
        if crashes(name, call.label):
            continue
        named = {key: to_torch(value) for key, value in call.named.items()}
        positional = [to_torch(value) for value in call.positional]  # before the call may write to it
        ours = attempt(pair.ours, call.positional, call.named)
        theirs = attempt(pair.theirs, positional, named)
        what = difference(ours, theirs, [*call.positional, *call.named.values()])
        found += [(call, what)] if what else []
    return found


def surprises(name: str, calls: Iterator[Call]) -> list[str]:
    """The disagreements that no line of docs/pytorch-details.md tells of."""
    return [f"{call}: {what}" for call, what in disagreements(name, calls) if not documented(name, call.label)]


@pytest.mark.parametrize("name", PUBLIC)
def test_forms(name: str) -> None:
    """A call by name, by place or by NumPy's names gives the same as one of both kinds; and what PyTorch gives."""
    plain: dict[str, Any] = {}
    for call in forms(name, PUBLIC[name].is_method):
        if call.label in ("plain", "by name", "by place", "by axis") and not documented(name, call.label):
            outcome = attempt(PUBLIC[name].ours, call.positional, call.named)
            assert same(name, plain.setdefault(call.text, outcome), outcome), str(call)
    assert surprises(name, VARIANTS[0](name)) == []


def same(name: str, one: tuple[Any, ...] | Exception, other: tuple[Any, ...] | Exception) -> bool:
    """Equal errors, or outputs that are equal bit by bit; those of random ops only in shape and dtype."""
    if isinstance(one, Exception) or isinstance(other, Exception):
        return repr(one) == repr(other)
    random = any("Generator" in type_ for _, type_, _, _ in BY_NAME[name].arguments)
    return all(equal(a, b, random) for a, b in zip(one, other, strict=True))


def equal(one: Any, other: Any, random: bool) -> bool:
    """Whether two outputs are equal, nan to nan."""
    if not isinstance(one, sg.Tensor):
        return bool(one == other)
    alike = one.shape == other.shape and one.dtype is other.dtype
    return alike and (
        random or np.array_equal(one.numpy(force=True), other.numpy(force=True), equal_nan=one.dtype.kind in "fc")
    )


@pytest.mark.parametrize("name", PUBLIC)
def test_mixed_dtypes(name: str) -> None:
    """Where the rule is `promote` the result has the common dtype; and PyTorch's dtype and values everywhere."""
    op = BY_NAME[name]
    plain = op.kind == "elementwise" and op.dtype == "promote" and op.result_dtype == ("same",)
    for call in mixed(name) if plain else ():
        outcome = attempt(PUBLIC[name].ours, call.positional, call.named)
        operands = [x for x in (*call.positional, *call.named.values()) if isinstance(x, sg.Tensor)]
        assert isinstance(outcome, Exception) or outcome[0].dtype in common(operands), f"{call}: {outcome}"
    assert surprises(name, mixed(name)) == []


def common(operands: list[Any]) -> set[Any]:
    """The dtype of an op on some tensors; a mask among them may have no part in it."""
    retained = [x for x in operands if x.dtype is not sg.bool]
    return {promoted(operands), promoted(retained or operands), operands[0].dtype}


def promoted(operands: list[Any]) -> Any:
    """The common dtype of tensors, one after the other."""
    total = operands[0]
    for operand in operands[1:]:
        total = total if sg.result_type(total, operand) is total.dtype else total.to(sg.result_type(total, operand))
    return total.dtype


@pytest.mark.parametrize("name", PUBLIC)
def test_bad_arguments(name: str) -> None:
    """They are refused by an expected class, or mean something; PyTorch refuses the same ones, by the same class."""
    for call in bad(name):
        outcome = attempt(PUBLIC[name].ours, call.positional, call.named)
        assert not isinstance(outcome, Exception) or isinstance(outcome, EXPECTED), f"{call}: {outcome!r}"
    assert surprises(name, bad(name)) == []


@pytest.mark.parametrize("line", LINES, ids=lambda line: "-".join(line.ops))
def test_every_documented_difference_is_one(line: Any) -> None:
    """Lines of docs/pytorch-details.md name ops that exist, with a reason; where PyTorch is, it answers otherwise."""
    named = [name for name in NAMES if line.covers(name, line.calls[0])]
    assert named and len(line.why.split()) > 2
    met = [
        call
        for name in named
        if name in PUBLIC
        for variant in VARIANTS
        for call, _ in disagreements(name, variant(name))
    ]
    is_met = any(line.covers(name, call.label) for name in named for call in met)
    elsewhere = "PyTorch crashes" in line.why or all(call.startswith(("in ", "gradient ")) for call in line.calls)
    assert torch is None or is_met or elsewhere


def test_most_ops_are_published() -> None:
    """PyTorch has the public ops under the same names."""
    assert len(PUBLIC) > 0.6 * len(NAMES)
    assert torch is None or len(PUBLISHED) > 0.95 * len(PUBLIC), set(PUBLIC) - set(PUBLISHED)
