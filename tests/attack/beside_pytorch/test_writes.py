"""Every way to write to a tensor or to change its layout, on every kind of tensor, in every mode, as in PyTorch.

All combinations of a tensor's making, a view of it, a call in place and a mode; then it is used, and backward runs.
What docs/pytorch-details.md says of programs is left out.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

import specgrad as sg
from tests.attack.amount import FULL, SEED
from tests.programs.comparing import same, same_error
from tests.programs.running import attempt, numbers

NUMBERS = "(torch.arange(6, dtype=torch.float64) + 1)"
TENSORS = {
    "constant": [f"x = {NUMBERS}.view(2, 3).clone()"],
    "leaf": [f"x = {NUMBERS}.view(2, 3).clone().requires_grad_()"],
    "leaf made of a view": [f"a = {NUMBERS}", "x = a.view(2, 3).requires_grad_()"],
    "leaf over a leaf's memory": [f"a = {NUMBERS}.requires_grad_()", "x = a.detach().view(2, 3).requires_grad_()"],
    "expanded leaf": ["a = torch.ones(3, dtype=torch.float64)", "x = a.expand(2, 3).requires_grad_()"],
    "result": [f"a = {NUMBERS}.view(2, 3).requires_grad_()", "x = a * 2"],
    "view of a constant": [f"a = {NUMBERS}", "x = a.view(2, 3)"],
    "view of a leaf": [f"a = {NUMBERS}.requires_grad_()", "x = a.view(2, 3)"],
    "view of a result": [f"a = {NUMBERS}.requires_grad_()", "b = a * 1", "x = b.view(2, 3)"],
    "expanded constant": ["b = torch.arange(3, dtype=torch.float64)", "x = b.expand(2, 3)"],
    "view without a graph": [f"a = {NUMBERS}.requires_grad_()", "b = a * 1", "with torch.no_grad(): x = b.view(2, 3)"],
    "detached": [f"a = {NUMBERS}.requires_grad_()", "x = a.detach().view(2, 3)"],
}
VIEWS = {  # what is written to, besides x itself
    "itself": [],
    "row": ["v = x[0]"],
    "tensor_split": ["v, w = x.tensor_split(2)"],
    "hsplit": ["v, *w = x.hsplit(3)"],
    "split": ["v, w = x.split(1)"],
    "unbind": ["v, w = x.unbind()"],
    "chunk": ["v, *w = x.chunk(3, 1)"],
    "transposed": ["v = x.t()"],
}
WRITES = [
    *("add_(1)", "mul_(2)", "zero_()", "fill_(3)", "copy_(torch.ones(()))", "sin_()", "clamp_(2, 4)"),
    *("unsqueeze_(0)", "unsqueeze_(-1)", "squeeze_()", "squeeze_(0)", "t_()", "transpose_(0, -1)", "swapaxes_(0, 0)"),
    *(
        "requires_grad_()",
        "requires_grad_(False)",
        "masked_fill_(MASK[0], 7.0)",
        "index_fill_(0, INDEX, 7)",
        "detach_()",
    ),
    *("__setitem__(0, 5.0)", "__setitem__(INDEX, 5.0)", "triu_()", "cumsum_(0)", "eq_(1)", "add_(GRAD)", "copy_(GRAD)"),
]
MODES = {
    "": "",
    "no_grad": "with torch.no_grad(): ",
    "inference": "with torch.inference_mode(): ",
    "enabled": "with torch.no_grad(), torch.enable_grad(): ",
}
USES = ["y = x * 2", "(x * x).sum().backward()", "(x.detach() * v).sum().backward()", "y.sum().backward()"]
LEAVES_THAT_ARE_VIEWS = ("leaf made of a view", "leaf over a leaf's memory", "expanded leaf")
LAYOUTS = ("squeeze", "t_", "transpose", "swapaxes")  # of what changes shapes


def programs() -> Iterator[list[str]]:
    """All combinations but those that docs/pytorch-details.md tells of."""
    for made, view, write, mode in itertools.product(TENSORS, VIEWS, WRITES, MODES):
        anew = any(part in write for part in LAYOUTS)
        if mode == "inference" and write == "detach_()":
            continue
        unrecorded = mode in ("no_grad", "inference") and view != "itself"
        if unrecorded and anew and made == "leaf":
            continue  # an older graph lives
        if unrecorded and made in LEAVES_THAT_ARE_VIEWS:
            continue  # PyTorch forgets the leaf
        target = "x" if view == "itself" else "v"
        yield [*TENSORS[made], *(VIEWS[view] or ["v = x"]), f"{MODES[mode]}{target}.{write}", *USES]


def outcome(lines: list[str], library: Any) -> dict[str, Any]:
    """What can be observed: the errors by line, and what can be said of each tensor."""
    double = {"dtype": library.float64}
    names: dict[str, Any] = {"torch": library, "MASK": library.tensor([[True], [False]]), "INDEX": library.tensor([0])}
    names["GRAD"] = library.tensor(0.5, requires_grad=True, **double)
    seen: dict[str, Any] = {f"line {i}": attempt(line, names) for i, line in enumerate(lines, 1)}
    for name in ("a", "b", "x", "v", "y", "GRAD"):
        if name in names:
            seen |= {f"{name}.{fact}": value for fact, value in facts(names[name]).items()}
    return seen


def facts(tensor: Any) -> dict[str, Any]:
    """Facts about a tensor; the class of the error where asking is one."""
    questions: dict[str, Callable[[], Any]] = {
        "values": lambda: numbers(tensor),
        "shape": lambda: tuple(tensor.shape),
        "version": lambda: tensor._version,
        "requires_grad": lambda: tensor.requires_grad,
        "is_leaf": lambda: tensor.is_leaf,
        "in a graph": lambda: tensor.grad_fn is not None,
        "is a view": lambda: tensor._base is not None,
        "gradient": lambda: None if tensor.grad is None else numbers(tensor.grad),
    }
    return {name: answer(question) for name, question in questions.items()}


def answer(question: Callable[[], Any]) -> Any:
    """What a question gives, or the class of the error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return question()
    except RuntimeError as error:
        return type(error)


def differing(ours: dict[str, Any], theirs: dict[str, Any]) -> list[str]:
    """The observations that are not the same."""
    lines = {key for key in theirs if key.startswith("line") and not same_error(ours[key], theirs[key])}
    rest = {key for key in theirs if not key.startswith("line") and not same(ours.get(key), theirs[key])}
    return [f"{key}: {ours.get(key)}, not {theirs[key]}" for key in sorted(lines | rest)]


def test_every_write(figures: Callable[..., None]) -> None:
    """Errors, values, versions, leaves, places in the graph and gradients are PyTorch's."""
    torch = pytest.importorskip("torch")
    every = list(programs())
    chosen = every if FULL else Random(SEED).sample(every, 500)
    for lines in chosen:
        found = differing(outcome(lines, sg), outcome(lines, torch))
        assert found == [], "\n".join(lines)
    figures("writes beside PyTorch", programs=len(chosen))
