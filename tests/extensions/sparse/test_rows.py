"""Sparse gradients of tables: they hold the rows that were read, add up in `.grad`, and optimizers take them."""

from types import ModuleType
from typing import Any

import numpy as np
import pytest

import specgrad as sg

pytestmark = [
    pytest.mark.cpu("indices are arranged on the host, whatever the device is"),
    pytest.mark.filterwarnings("ignore:Sparse"),  # PyTorch's, of features that it calls new
]

TABLE = np.arange(10.0).reshape(5, 2) / 10
READ = [[1, 2, 2], [0, 3, 1], [2, 2, 4], [1, 0, 0]]


def table(lib: ModuleType) -> Any:
    """A table of rows that is learned."""
    return lib.nn.Parameter(lib.tensor(TABLE))


@pytest.mark.parametrize("options", [{}, {"padding_idx": 2}, {"padding_idx": -1}])
def test_embedding(lib: ModuleType, options: dict[str, Any]) -> None:
    """The gradient has a row for each index but padding, and is that of a strided one."""
    x, y = table(lib), table(lib)
    index = lib.tensor([[1, 2], [2, 4]])
    F = lib.nn.functional
    (F.embedding(index, x, sparse=True, **options) ** 2).sum().backward()
    (F.embedding(index, y, **options) ** 2).sum().backward()
    padding = options.get("padding_idx", -9) % 5 if options else -1
    assert x.grad.is_sparse
    assert x.grad._indices().tolist() == [[i for i in [1, 2, 2, 4] if i != padding]]
    assert np.allclose(x.grad.to_dense().numpy(), y.grad.numpy())


@pytest.mark.parametrize("mode", ["sum", "mean"])
@pytest.mark.parametrize("padding", [None, 2])
def test_bags(lib: ModuleType, mode: str, padding: int | None) -> None:
    """So has that of bags, in rows or behind each other."""
    for index, offsets in (([1, 2, 2, 4], [0, 1]), ([[1, 2], [2, 4]], None)):
        x, y = table(lib), table(lib)
        where = None if offsets is None else lib.tensor(offsets)
        for weight, sparse in ((x, True), (y, False)):
            bags = lib.nn.functional.embedding_bag(
                lib.tensor(index), weight, where, mode=mode, sparse=sparse, padding_idx=padding
            )
            (bags**2).sum().backward()
        assert x.grad.is_sparse
        assert np.allclose(x.grad.to_dense().numpy(), y.grad.numpy())


def test_layers(lib: ModuleType) -> None:
    """`Embedding` and `EmbeddingBag` have the option."""
    layer = lib.nn.Embedding(10, 3, sparse=True)
    layer(lib.tensor([1, 1])).sum().backward()
    assert layer.weight.grad.is_sparse
    assert float(layer.weight.grad.to_dense()[1].sum()) == 6.0
    bag = lib.nn.EmbeddingBag(10, 3, mode="sum", sparse=True)
    bag(lib.tensor([[1, 2]]), per_sample_weights=lib.tensor([[2.0, 3.0]])).sum().backward()
    assert bag.weight.grad.to_dense().sum(1).tolist() == [0.0, 6.0, 9.0] + [0.0] * 7
    assert "sparse=True" in repr(layer)


def test_what_has_no_sparse_gradient(lib: ModuleType) -> None:
    """Maxima, and gradients that are divided by counts."""
    F, index = lib.nn.functional, lib.tensor([[1, 2]])
    with pytest.raises(ValueError, match="max mode does not support sparse weights"):
        F.embedding_bag(index, table(lib), mode="max", sparse=True)
    with pytest.raises(RuntimeError, match="scale_grad_by_freq"):
        F.embedding(index, table(lib), scale_grad_by_freq=True, sparse=True).sum().backward()


@pytest.mark.parametrize("order", ["ss", "sd", "ds", "sds", "dss"])
def test_sums_of_gradients(lib: ModuleType, order: str) -> None:
    """Sparse gradients add up to a sparse one; with a strided one they become strided."""
    weight, index = table(lib), lib.tensor([1, 2, 2])
    expected = np.zeros((5, 2))
    for kind in order:
        if kind == "s":
            lib.nn.functional.embedding(index, weight, sparse=True).sum().backward()
            expected[[1, 2]] += [[1.0], [2.0]]
        else:
            (weight * 2).sum().backward()
            expected += 2
    assert weight.grad.is_sparse == ("d" not in order)
    assert np.array_equal(weight.grad.to_dense().numpy(), expected)


def test_both_in_one_graph(lib: ModuleType) -> None:
    """A table that is read in both ways, behind an op: the gradients meet inside of the graph."""
    weight = table(lib)
    scaled = weight * 3
    read = lib.nn.functional.embedding(lib.tensor([1, 1]), scaled, sparse=True)
    (read.sum() + (scaled * 2).sum()).backward()
    expected = np.full((5, 2), 6.0)
    expected[1] += 6.0
    assert np.array_equal(weight.grad.to_dense().numpy(), expected)


def trained(lib: ModuleType, name: str, sparse: bool, **options: Any) -> Any:
    """A table after some steps of an optimizer."""
    weight = table(lib)
    optimizer = getattr(lib.optim, name)([weight], **options)
    for rows in READ:
        optimizer.zero_grad()
        y = lib.nn.functional.embedding(lib.tensor(rows), weight, sparse=sparse)
        (y * y * lib.tensor([1.0, 2.0], dtype=lib.float64)).sum().backward()
        optimizer.step()
    return weight.detach().numpy()


SAME = [
    ("SGD", {"lr": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.5, "maximize": True}),
    ("Adagrad", {"lr": 0.1}),
    ("Adagrad", {"lr": 0.1, "lr_decay": 0.1, "initial_accumulator_value": 0.2, "maximize": True}),
]


@pytest.mark.parametrize(("name", "options"), SAME)
def test_rules_that_are_the_same(lib: ModuleType, name: str, options: dict[str, Any]) -> None:
    """Rules that leave rows alone whose gradient is zero give what they give of strided gradients."""
    found, expected = (trained(lib, name, sparse, **options) for sparse in (True, False))
    assert np.allclose(found, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("options", [{"lr": 0.1}, {"lr": 0.05, "eps": 1e-2, "betas": (0.5, 0.6)}, {"maximize": True}])
def test_sparse_adam(lib: ModuleType, options: dict[str, Any]) -> None:
    """Averages and rows change where the gradient has rows, by Adam's rule with the count of all steps."""
    lr, eps, (retained, beta2_decay) = (
        options.get("lr", 1e-3),
        options.get("eps", 1e-8),
        options.get("betas", (0.9, 0.999)),
    )
    p, mean, square = TABLE.copy(), np.zeros((5, 2)), np.zeros((5, 2))
    for step, rows in enumerate(READ, 1):
        grad = np.zeros((5, 2))
        np.add.at(grad, rows, 2 * p[rows] * [1.0, 2.0])
        grad = -grad if options.get("maximize") else grad
        at = sorted(set(rows))
        mean[at] = retained * mean[at] + (1 - retained) * grad[at]
        square[at] = beta2_decay * square[at] + (1 - beta2_decay) * grad[at] ** 2
        rate = lr * np.sqrt(1 - beta2_decay**step) / (1 - retained**step)
        p[at] -= rate * mean[at] / (np.sqrt(square[at]) + eps)
    assert np.allclose(trained(lib, "SparseAdam", True, **options), p, rtol=1e-10)


def test_sparse_adam_refuses(lib: ModuleType) -> None:
    """Strided gradients, sparse parameters, and numbers out of range."""
    with pytest.raises(RuntimeError, match="SparseAdam does not support dense gradients, please consider Adam instead"):
        trained(lib, "SparseAdam", False)
    with pytest.raises(ValueError, match="requires dense parameter tensors"):
        lib.optim.SparseAdam([lib.sparse_coo_tensor([[0]], [1.0]).requires_grad_()])
    for options in ({"lr": -1.0}, {"eps": 0.0}, {"betas": (1.0, 0.5)}):
        with pytest.raises(ValueError, match="Invalid"):
            lib.optim.SparseAdam([table(lib)], **options)


OTHERS = {"Adam": "Adam", "AdamW": "Adam", "Adamax": "Adamax", "NAdam": "NAdam", "RAdam": "RAdam", "Rprop": "Rprop"}
OTHERS |= {name: name for name in ("RMSprop", "Adadelta", "ASGD", "Adafactor", "Muon")}


@pytest.mark.parametrize("name", OTHERS)
def test_other_rules_refuse(lib: ModuleType, name: str) -> None:
    """All others say that they take no sparse gradients."""
    with pytest.raises(RuntimeError, match=f"{OTHERS[name]} does not support sparse gradients"):
        trained(lib, name, True)


def test_weight_decay_of_adagrad(lib: ModuleType) -> None:
    """A penalty has a strided gradient."""
    with pytest.raises(RuntimeError, match="weight_decay option is not compatible with sparse gradients"):
        trained(lib, "Adagrad", True, weight_decay=0.1)


def test_state_of_sparse_adam(lib: ModuleType) -> None:
    """It is saved and goes on."""
    weight = table(lib)
    optimizer = lib.optim.SparseAdam([weight], lr=0.1)
    lib.nn.functional.embedding(lib.tensor([1]), weight, sparse=True).sum().backward()
    optimizer.step()
    other = lib.optim.SparseAdam([weight])
    other.load_state_dict(optimizer.state_dict())
    assert sorted(other.state[weight]) == ["exp_avg", "exp_avg_sq", "step"]
    assert other.param_groups[0]["lr"] == 0.1


def test_zero_grad_and_norms() -> None:
    """Sparse gradients are filled with zeros, and clipped by their norm."""
    weight = table(sg)
    sg.nn.functional.embedding(sg.tensor([1, 2, 2]), weight, sparse=True).sum().backward()
    norm = sg.nn.utils.clip_grad_norm_([weight], 1.0)
    assert np.isclose(float(norm), np.sqrt(10))
    assert np.isclose(float(weight.grad.norm()), 1.0, atol=1e-5)
    sg.optim.SGD([weight], lr=0.1).zero_grad(set_to_none=False)
    assert weight.grad._nnz() == 0
