"""Batching rules: every op of the spec takes and refuses under vmap what it does for each example.

`verify` compares values and derivatives; here are no examples, wrong examples, dtypes, and ops without a rule.
"""

from __future__ import annotations

import itertools
import sys
import warnings
from collections.abc import Callable, Sequence
from textwrap import dedent
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.codegen.__main__ import main
from specgrad.codegen.verify.calls.point import Point, adopt
from specgrad.codegen.verify.calls.samples import points
from specgrad.codegen.verify.checks.batch import Batch, choices, written
from specgrad.codegen.verify.processes import import_folder
from specgrad.generated.registry import OPS
from tests.examples import array, close, reals

DYNAMIC = "depends on the values"
CHANGES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "one dimension less": lambda a: a[0] if a.ndim and len(a) else a,
    "one more in front": lambda a: a[None],
    "one more behind": lambda a: a[..., None],
    "flat": lambda a: a.reshape(-1),
    "twice as long": lambda a: np.concatenate([a, a], -1) if a.ndim else a,
}


def outcome(call: Callable[[], Any]) -> Any:
    """The arrays that a call gives, or the exception that it raises."""
    try:
        found = call()
    except Exception as error:
        return error
    outputs = found if isinstance(found, (tuple, list)) else (found,)
    return [array(output) for output in outputs]


def looped(batch: Batch, examples: Sequence[Sequence[Any]]) -> Any:
    """The outcome of a loop over examples."""
    found = [outcome(lambda example=example: batch.call([adopt(a.copy()) for a in example])) for example in examples]
    errors = [result for result in found if isinstance(result, Exception)]
    return errors[0] if errors else [np.stack(arrays) for arrays in zip(*found, strict=True)]


def batches(op: Any) -> list[tuple[Batch, list[bool]]]:
    """Calls of an op with tensors, and which of these differ between the examples."""
    found = [Batch(Point(op, text, hard, is_complex)) for text, hard, is_complex in points(op) if not hard]
    pairs = [(batch, chosen) for batch in found if batch.stacks for chosen in choices(len(batch.stacks))]
    return [(batch, chosen) for batch, chosen in pairs if chosen[0] or "(a!)" not in op.schema]


def mapped(batch: Batch, chosen: Sequence[bool], stacks: Sequence[np.ndarray]) -> Any:
    """The outcome of one call for all examples."""
    dims = tuple(0 if yes else None for yes in chosen)
    return outcome(lambda: sg.vmap(written(batch, None), dims)(*[adopt(s.copy()) for s in stacks]))


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_no_examples_have_the_shape_of_some(op: Any) -> None:
    """A batch of none gives a batch of none, with the shapes and dtypes that one example gives."""
    for batch, chosen in batches(op):
        alone = looped(batch, [[stack[0] for stack in batch.stacks]])
        found = mapped(batch, chosen, [s[:0] if yes else s[0] for s, yes in zip(batch.stacks, chosen, strict=True)])
        if isinstance(found, Exception):
            assert DYNAMIC in str(found)
        elif op.name not in ("index.Tensor", "masked_select"):  # how many a mask chooses is for one example only
            assert [(a.shape, a.dtype) for a in found] == [((0, *a.shape[1:]), a.dtype) for a in alone]


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_a_changed_example_is_taken_or_refused_as_alone(op: Any) -> None:
    """The same values, or the same class of error, as the loop over the examples."""
    if op.name == "index_backward":  # its arguments are made by autograd, and broadcast in ways that nobody uses
        return
    for (batch, chosen), (name, change) in itertools.product(batches(op), CHANGES.items()):
        for which in range(len(chosen)):
            first = [change(s[0]) if i == which else s[0] for i, s in enumerate(batch.stacks)]
            if op.name.startswith("index") and any(a.dtype == bool and not a.ndim for a in first):
                continue  # the op itself takes no single bool: x[True] becomes something else before
            stacks = [np.stack([np.roll(a, shift) for shift in range(3)]) for a in first]
            compare(batch, chosen, stacks, name)


def compare(batch: Batch, chosen: Sequence[bool], stacks: Sequence[np.ndarray], about: str) -> None:
    """Whether vmap gives or raises what the loop does."""
    examples = [[s[i if yes else 0] for s, yes in zip(stacks, chosen, strict=True)] for i in range(3)]
    expected = looped(batch, examples)
    found = mapped(batch, chosen, [s if yes else s[0] for s, yes in zip(stacks, chosen, strict=True)])
    if isinstance(found, Exception):
        assert DYNAMIC in str(found) or type(found) is type(expected), (batch.point, about, found)
        return
    assert [(a.shape, a.dtype) for a in found] == [(a.shape, a.dtype) for a in expected], (batch.point, about)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-8, atol=1e-10)


KINDS = ["bool", "uint8", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64"]
OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda x, y: x + y,
    "divide": lambda x, y: x / y,
    "power": lambda x, y: x**2 * y,
    "compare": lambda x, y: x == y,
    "choose": lambda x, y: sg.where(x == y, x, y),
    "numbers": lambda x, y: x * 2 + y * 2.5,
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_dtypes_are_those_of_examples(name: str) -> None:
    """An example without dimensions does not widen the dtype of one with dimensions, though its batch has one."""
    operation = OPERATIONS[name]
    for first, second in itertools.product(KINDS, KINDS):
        x, y = (sg.tensor([0, 1, 2]).to(getattr(sg, kind)) for kind in (first, second))
        wide = y.expand(2, 3).t()
        for dims, pair in (((0, 0), (x, y)), ((0, 0), (x, wide)), ((0, None), (x, y)), ((None, 0), (x, y))):
            found = sg.vmap(operation, in_dims=dims)(*pair)
            rows = [[t if d is None else t[i] for t, d in zip(pair, dims, strict=True)] for i in range(3)]
            expected = sg.stack([operation(*row) for row in rows])
            assert found.dtype is expected.dtype and found.shape == expected.shape
            close(found.to(sg.complex64), expected.to(sg.complex64))


def test_indices_that_differ_between_the_examples() -> None:
    """Indexing picks other places of each example, in any mixture of slices, numbers and index tensors."""
    x, w = reals(sg, 3, 5, 2, 5), reals(sg, 5, 2, 3)
    i, j = sg.tensor([[0, 1], [1, 1], [4, 2]]), sg.tensor([0, 1, 0])
    picks: list[tuple[Callable[..., Any], Sequence[Any]]] = [
        (lambda x, i, j: x[i], (x, i, j)),
        (lambda x, i, j: x[i, j], (x, i, j)),
        (lambda x, i, j: x[:, j, i], (x, i, j)),
        (lambda x, i, j: x[i, :, i], (x, i, j)),
        (lambda x, i, j: x[None, ..., i], (x, i, j)),
        (lambda x, i, j: x[i[:, None], j, i], (x, i, j)),
        (lambda x, i, j: w[i, j] + w[i[0]], (x, i, j)),
        (lambda x, i, j: x.index_select(2, i).gather(0, i.reshape(1, 1, 2)), (x, i, j)),
        (lambda x, i, j: sg.nn.functional.embedding(i, x[..., 0]), (x, i, j)),
    ]
    for pick, batch in picks:
        close(sg.vmap(pick)(*batch), sg.stack([pick(*[b[e] for b in batch]) for e in range(3)]))


@pytest.fixture(scope="module")
def without_rule(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The ops of a spec outside the tree whose entry names no batching rule."""
    folder = tmp_path_factory.mktemp("outside")
    spec = """\
        - name: running_total(Tensor self, int dim=0) -> Tensor
          kernel: cumsum
          check: one_dim
          self: running_total(grad.flip([dim]), dim).flip([dim])
          result: auto_linear
          samples: ["self=T(3, 4), dim=1"]
          refuses: {IndexError: "self=T(3), dim=1"}
        """
    (folder / "ops.yaml").write_text(dedent(spec), encoding="utf-8")
    assert main([str(folder / "ops.yaml"), "--out", str(folder / "loose"), "--no-verify"]) == 0
    return import_folder(folder / "loose")


def test_an_op_without_a_rule_is_looped_over(without_rule: Any) -> None:
    """The warning names the op and says what to do; values and gradients are right all the same."""
    ops = sys.modules[f"{without_rule}.ops"]
    x = reals(sg, 3, 2, 4)
    with pytest.warns(UserWarning, match="performance drop.*batching rule for running_total.*the key 'batch'") as seen:
        found = sg.vmap(lambda e: ops.running_total(e, 1))(x)
    assert len(seen) == 1
    close(found, array(x).cumsum(2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gradient = sg.vmap(sg.func.grad(lambda e: (ops.running_total(e, 1) * e).sum()))(x)
    values = array(x)
    close(gradient, values.cumsum(2) + values[..., ::-1].cumsum(2)[..., ::-1])
