"""Kernel ops that write to their first tensor: from the second call on native code does it, as the general path."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.generated.ops import indexing
from specgrad.runtime.native.check_mode import general_path

rng = np.random.default_rng(0)
ROWS, COLUMNS = rng.integers(0, 6, 8), rng.integers(0, 7, 8)
ALONG = rng.integers(0, 7, (6, 9))
DOWN = rng.integers(0, 6, (9, 7))
TALL, WIDE, LINE = rng.normal(size=(9, 7)), rng.normal(size=(6, 9)), rng.normal(size=8)
EIGHT = rng.normal(size=(8, 7))


def tensor(values: np.ndarray) -> Any:
    return sg.tensor(values if values.dtype.kind == "i" else values.astype(np.float32))


def along(add: bool) -> Callable[[np.ndarray], None]:
    def write(y: np.ndarray) -> None:
        for i, j in np.ndindex(ALONG.shape):
            y[i, ALONG[i, j]] = WIDE.astype(y.dtype)[i, j] + add * y[i, ALONG[i, j]]

    return write


def put_down(y: np.ndarray) -> None:
    for i, j in np.ndindex(DOWN.shape):
        y[DOWN[i, j], j] += TALL.astype(y.dtype)[i, j]


WRITES: dict[str, tuple[str, Callable[[Any], Any], Callable[[np.ndarray], Any]]] = {
    "slice": ("COPY_", lambda x: x.__setitem__((slice(1, 5), slice(None, None, 2)), tensor(TALL[:4, :4])),
              lambda y: y.__setitem__((slice(1, 5), slice(None, None, 2)), TALL[:4, :4])),
    "one value": ("COPY_", lambda x: x[2].copy_(sg.tensor(3.0)), lambda y: y[2].fill(3)),
    "rows": ("INDEX_PUT", lambda x: x.__setitem__(tensor(ROWS), tensor(EIGHT)), lambda y: y.__setitem__(ROWS, EIGHT)),
    "elements": ("INDEX_PUT", lambda x: x.__setitem__((tensor(ROWS - 6), tensor(COLUMNS)), tensor(LINE)),
                 lambda y: y.__setitem__((ROWS, COLUMNS), LINE)),
    "elements added": (
        "INDEX_PUT", lambda x: x.index_put_((tensor(ROWS), tensor(COLUMNS)), tensor(LINE), accumulate=True),
        lambda y: np.add.at(y, (ROWS, COLUMNS), LINE.astype(y.dtype))),
    "rows added": ("INDEX_ADD", lambda x: x.index_add_(0, tensor(ROWS), tensor(EIGHT)),
                   lambda y: np.add.at(y, ROWS, EIGHT.astype(y.dtype))),
    "scattered": ("SCATTER_SRC", lambda x: sg.Tensor.scatter_(x, 1, tensor(ALONG), tensor(WIDE)), along(False)),
    "scattered and added": ("SCATTER_ADD", lambda x: x.scatter_add_(1, tensor(ALONG), tensor(WIDE)), along(True)),
    "added down": ("SCATTER_ADD", lambda x: x.scatter_add_(0, tensor(DOWN), tensor(TALL)), put_down),
    "a number": ("SCATTER_VALUE", lambda x: x.scatter_(1, tensor(ROWS[:6, None]), 2.5),
                 lambda y: np.put_along_axis(y, ROWS[:6, None], 2.5, 1)),
}  # fmt: skip


@pytest.mark.parametrize("name", WRITES)
def test_native_code_writes_what_numpy_does(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first call finds the plan, the second one is native; each is counted as one write by the op of that name."""
    known, write, by_numpy = WRITES[name]
    op = getattr(indexing, known)
    launch, answers = op.launch_in_place, list[Any]()

    def noted(*arguments: Any) -> Any:
        answers.append(launch(*arguments))
        return answers[-1]

    monkeypatch.setattr(op, "launch_in_place", noted)
    op.written.clear()
    base = rng.normal(size=(6, 7)).astype(np.float32)
    writers = []
    for _ in range(2):
        x, y = sg.tensor(base), base.copy()
        write(x)
        by_numpy(y)
        np.testing.assert_array_equal(x.numpy(), y)
        assert x._version == 1
        writers.append(x._version_counter[1])
    assert answers[0] is None and answers[-1] is not None
    assert writers == [op.name.removesuffix("_") + "_"] * 2


@pytest.mark.parametrize("name", WRITES)
def test_what_is_recorded_has_the_gradients_of_the_general_path(name: str) -> None:
    _, write, _ = WRITES[name]
    found = []
    for native in (True, True, False):
        x = sg.ones(6, 7).requires_grad_()
        y = x * 2
        if native:
            write(y)
        else:
            with general_path():
                write(y)
        (y * y).sum().backward()
        found.append(x.grad.numpy().tolist())
    assert found[0] == found[1] == found[2]


WRONG: dict[str, tuple[type[Exception], Callable[[Any], Any]]] = {
    "index_put": (IndexError, lambda x: x.index_put_((sg.tensor([0, 6]),), sg.ones(2, 7))),
    "elements": (IndexError, lambda x: x.index_put_((sg.tensor([0, 1]), sg.tensor([0, -8])), sg.ones(2))),
    "index_add": (RuntimeError, lambda x: x.index_add_(0, sg.tensor([0, -1]), sg.ones(2, 7))),
    "scatter": (RuntimeError, lambda x: x.scatter_(1, sg.tensor([[0, 7]] * 6), 1.0)),
    "scatter_add": (RuntimeError, lambda x: x.scatter_add_(0, sg.tensor([[0] * 7, [6] * 7]), sg.ones(2, 7))),
}


@pytest.mark.parametrize("name", WRONG)
def test_nothing_is_written_where_an_index_is_outside(name: str) -> None:
    """Neither by the call that finds the plan nor by those that run it; the message is that of the general path."""
    error, call = WRONG[name]
    messages = set()
    for _ in range(3):
        x = sg.zeros(6, 7)
        with pytest.raises(error, match="out of bounds") as raised:
            call(x)
        messages.add(str(raised.value))
        assert not x.any() and x._version == 0
    assert len(messages) == 1


def test_operands_in_the_memory_that_is_written_to_are_read_before() -> None:
    """As tensors over memory of NumPy's, of which none knows that the other lies there too."""
    for _ in range(3):
        memory = np.arange(40, dtype=np.float32)
        to, source = sg.from_numpy(memory[1:33]).view(4, 8), sg.from_numpy(memory[:32]).view(4, 8)
        to[:, 0::2] = source[:, 0::2]
        expected = np.arange(1, 33, dtype=np.float32).reshape(4, 8)
        expected[:, 0::2] -= 1
        np.testing.assert_array_equal(to.numpy(), expected)


def test_a_leaf_and_an_expanded_tensor_refuse_the_write_each_time() -> None:
    leaf, source = sg.zeros(6, 7, requires_grad=True), sg.ones(6, 7)
    sg.zeros(6, 7).copy_(source)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="leaf Variable"):
            leaf.copy_(source)
        with pytest.raises(RuntimeError):
            sg.zeros(7).expand(6, 7).copy_(source)
    with sg.no_grad():
        leaf.copy_(source)
    assert leaf.sum().item() == 42
