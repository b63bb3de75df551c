"""Nested tensors: an op gives what it gives for each part, with gradients; PyTorch agrees where it is installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad import nested
from specgrad.nn import functional as F

pytestmark = pytest.mark.cpu("what nested tensors call is tested on both places")
PARTS = [np.arange(6.0).reshape(2, 3) - 2, np.arange(12.0).reshape(4, 3) / 3, np.ones((1, 3))]
WEIGHT = np.linspace(-1, 1, 12).reshape(4, 3)


def made(**options: Any) -> Any:
    return nested.nested_tensor([sg.tensor(part) for part in PARTS], layout=sg.jagged, **options)


def each(x: Any) -> list[Any]:
    """The parts as NumPy arrays; of a plain tensor its rows."""
    return [part.detach().numpy() for part in (x.unbind() if x.is_nested else x)]


def softmax(x: np.ndarray, axis: int) -> np.ndarray:
    found = np.exp(x - x.max(axis, keepdims=True))
    return found / found.sum(axis, keepdims=True)  # type: ignore[no-any-return]


def normal(x: np.ndarray) -> np.ndarray:
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)  # type: ignore[no-any-return]


W = sg.tensor(WEIGHT)
CALLS: list[tuple[Callable[[Any], Any], Callable[[np.ndarray], Any]]] = [
    (lambda x: 1 - x * sg.tensor([1.0, 2.0, 3.0]), lambda p: 1 - p * [1, 2, 3]),
    (lambda x: sg.where(x > 1, x, -x), lambda p: np.where(p > 1, p, -p)),
    (lambda x: x.masked_fill(x > 1, 7.0), lambda p: np.where(p > 1, 7, p)),
    (lambda x: (x / 2).exp().clamp(max=3), lambda p: np.minimum(np.exp(p / 2), 3)),
    (lambda x: F.relu(x), lambda p: np.maximum(p, 0)),
    (lambda x: x.sum(-1), lambda p: p.sum(-1)),
    (lambda x: x.mean(1), lambda p: p.mean(0)),
    (lambda x: x.amax(1, keepdim=True), lambda p: p.max(0, keepdims=True)),
    (lambda x: x.max(1).indices, lambda p: p.argmax(0)),
    (lambda x: x.var(1, correction=0), lambda p: p.var(0)),
    (lambda x: x.cumsum(1), lambda p: p.cumsum(0)),
    (lambda x: x.flip(1), lambda p: p[::-1]),
    (lambda x: x.softmax(1), lambda p: softmax(p, 0)),
    (lambda x: F.softmax(x, dim=-1), lambda p: softmax(p, 1)),
    (lambda x: F.linear(x, W), lambda p: p @ WEIGHT.T),
    (lambda x: x @ W.t(), lambda p: p @ WEIGHT.T),
    (lambda x: F.layer_norm(x, (3,)), normal),
    (lambda x: x.transpose(1, 2), lambda p: p.T),
    (lambda x: x.transpose(1, 2).sum(1), lambda p: p.sum(1)),
    (lambda x: x.transpose(1, 2) @ x, lambda p: p.T @ p),
    (lambda x: x.unsqueeze(1).expand(3, 2, -1, 3).flatten(-1), lambda p: np.stack([p, p])),
    (lambda x: x.unflatten(-1, (3, 1)).squeeze(-1), lambda p: p),
    (lambda x: x.view(3, -1, 3, 1).flatten(2, 3), lambda p: p),
    (lambda x: x.chunk(3, -1)[1], lambda p: p[:, 1:2]),
    (lambda x: x.select(-1, 2), lambda p: p[:, 2]),
    (lambda x: sg.cat([x, x * 2], -1), lambda p: np.concatenate([p, p * 2], -1)),
    (lambda x: sg.zeros_like(x) + x.to(sg.float64).clone().detach(), lambda p: p),
]


@pytest.mark.parametrize(("call", "right"), CALLS)
def test_an_op_is_that_of_each_part(call: Callable[[Any], Any], right: Callable[[np.ndarray], Any]) -> None:
    """Along any dimension, with any layout of the result."""
    for found, part in zip(each(call(made())), PARTS, strict=True):
        np.testing.assert_allclose(found, right(part), atol=1e-12)


def test_operands_with_a_row_for_each_part() -> None:
    """They broadcast along the ragged dimension, or are as long as the longest part."""
    rows = np.arange(9.0).reshape(3, 1, 3)
    for found, part, row in zip(each(made() + sg.tensor(rows)), PARTS, rows, strict=True):
        np.testing.assert_allclose(found, part + row)
    padded = np.arange(36.0).reshape(3, 4, 3)
    for found, part, row in zip(each(sg.tensor(padded) * made()), PARTS, padded, strict=True):
        np.testing.assert_allclose(found, part * row[: len(part)])
    matrices = np.arange(18.0).reshape(3, 3, 2)
    for found, part, matrix in zip(each(made() @ sg.tensor(matrices)), PARTS, matrices, strict=True):
        np.testing.assert_allclose(found, part @ matrix)


def test_attention_stays_within_parts() -> None:
    """Heads before the ragged dimension."""
    heads = made().unflatten(-1, (3, 1)).transpose(1, 2)
    for found, part in zip(each(F.scaled_dot_product_attention(heads, heads, heads)), PARTS, strict=True):
        for head in range(3):
            scores = softmax(np.outer(part[:, head], part[:, head]), 1)
            np.testing.assert_allclose(found[head, :, 0], scores @ part[:, head], atol=1e-12)


def test_gradients() -> None:
    """A leaf has a nested gradient; tensors that are its parts get theirs."""
    x = made(requires_grad=True)
    assert x.is_leaf and x.requires_grad
    (x * x).sum().backward()
    for found, part in zip(each(x.grad), PARTS, strict=True):
        np.testing.assert_allclose(found, 2 * part)
    parts = [sg.tensor(part, requires_grad=True) for part in PARTS]
    nested.as_nested_tensor(parts, layout=sg.jagged).cumsum(1).to_padded_tensor(0.0).sum().backward()
    np.testing.assert_allclose(parts[0].grad.numpy(), [[2, 2, 2], [1, 1, 1]])


def test_layers_train_on_nested_tensors() -> None:
    """The same losses as for each part alone."""
    sg.manual_seed(0)
    model = sg.nn.Sequential(
        sg.nn.Linear(3, 4), sg.nn.LayerNorm(4), sg.nn.GELU(), sg.nn.Dropout(0.0), sg.nn.Linear(4, 1)
    )
    x = made(dtype=sg.float32)
    model(x).sum().backward()
    batch = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    sum(model(part).sum() for part in x.unbind()).backward()  # type: ignore[union-attr]
    for one, parameter in zip(batch, model.parameters(), strict=True):
        assert sg.allclose(one, parameter.grad, atol=1e-5)


def test_sizes() -> None:
    """The size that parts differ in equals itself alone; results share it."""
    x = made()
    assert str(x.shape) == f"specgrad.Size([3, {x.size(1)}, 3])" and x.dim() == x.ndim == 3 and len(x) == 3
    assert x.size(1) == x.exp().size(1) != made().size(1) and x.size(1) != 4 and x.size(1) >= 4
    assert x.numel() == 21 and x.is_nested and x.layout is sg.jagged and x.offsets().tolist() == [0, 2, 6, 7]
    assert x.values().shape == (7, 3) and x.lengths() is None and x.is_contiguous()
    assert repr(x).startswith("NestedTensor(size=(3, j") and sg.equal(x[1], sg.tensor(PARTS[1]))
    assert isinstance(x, sg.nested._internal.nested_tensor.NestedTensor)


def test_making_them() -> None:
    """Of packed elements, with gaps too, of rows and masks, of lists, and of parts that differ in a later size."""
    values = sg.arange(10.0).view(5, 2)
    found = nested.nested_tensor_from_jagged(values, sg.tensor([0, 2, 5]))
    assert found.values() is values and found[1].tolist() == values[2:].tolist()
    gaps = nested.nested_tensor_from_jagged(values, sg.tensor([0, 2, 5]), lengths=sg.tensor([1, 2]))
    assert [part.tolist() for part in gaps] == [values[:1].tolist(), values[2:4].tolist()]
    narrow = nested.narrow(values, 1, sg.tensor([0, 1, 0, 0, 1]), sg.tensor([1, 1, 2, 0, 1]), layout=sg.jagged)
    assert [part.tolist() for part in narrow] == [[0.0], [3.0], [4.0, 5.0], [], [9.0]]
    chosen = nested.masked_select(values, values > 4)
    assert [part.tolist() for part in chosen] == [[], [], [5.0], [6.0, 7.0], [8.0, 9.0]]
    wide = nested.nested_tensor([[[1.0, 2.0]], [[3.0, 4.0, 5.0]]], layout=sg.jagged)
    assert wide.shape[:2] == (2, 1) and wide.to_padded_tensor(-1.0).tolist() == [[[1, 2, -1]], [[3, 4, 5]]]
    larger = nested.to_padded_tensor(made(), 0.0, output_size=(3, 5, 3))
    assert larger.shape == (3, 5, 3) and larger.sum() == made().sum()


def test_what_is_refused() -> None:
    """Errors name the call, and what has no rule says so."""
    x = made()
    wrong: list[tuple[type[Exception], str, Callable[[], Any]]] = [
        (RuntimeError, "cannot call binary pointwise function add", lambda: x + made()),
        (RuntimeError, "not supported for NestedTensor on dim=0", lambda: x.sum(0)),
        (RuntimeError, "ragged dim", lambda: x.flatten(1)),
        (ValueError, "batch dimension", lambda: x.transpose(0, 1)),
        (RuntimeError, "does not broadcast", lambda: x + sg.ones(3, 2, 3)),
        (IndexError, "Dimension out of range", lambda: x.sum(3)),
        (RuntimeError, "empty tensor list", lambda: nested.nested_tensor([], layout=sg.jagged)),
        (RuntimeError, "zero-dim", lambda: nested.nested_tensor([1, 2], layout=sg.jagged)),
        (RuntimeError, "differ in one size", lambda: nested.nested_tensor([sg.ones(2, 3), sg.ones(3, 2)])),
        (RuntimeError, "At least one", lambda: nested.nested_tensor_from_jagged(sg.ones(3))),
        (RuntimeError, "do not make up", lambda: nested.nested_tensor_from_jagged(sg.ones(3), sg.tensor([0, 2]))),
        (TypeError, "list of tensors", lambda: nested.as_nested_tensor([1, 2])),
        (NotImplementedError, "numpy", lambda: x.numpy()),
        (NotImplementedError, "no rule", lambda: F.interpolate(x)),
    ]
    for error, says, call in wrong:
        with pytest.raises(error, match=says):
            call()
