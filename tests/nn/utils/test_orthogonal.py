"""Orthogonal weights as a parametrization."""

from typing import Any

import numpy as np
import pytest

RNG = np.random.default_rng(3)


def _layer(lib: Any, shape: tuple[int, ...], name: str | None, dtype: str = "float64", **options: Any) -> Any:
    layer = lib.nn.Module()
    values = RNG.standard_normal(shape) + (1j * RNG.standard_normal(shape) if "complex" in dtype else 0)
    layer.weight = lib.nn.Parameter(lib.from_numpy(values))
    return lib.nn.utils.parametrizations.orthogonal(layer, orthogonal_map=name, **options)


def _distance(weight: Any) -> float:
    """How far the columns, or the rows where there are fewer, are from orthonormal."""
    w = weight.detach().numpy()
    w = w if w.shape[-2] >= w.shape[-1] else np.swapaxes(w, -2, -1)
    return float(abs(np.swapaxes(w.conj(), -2, -1) @ w - np.eye(w.shape[-1])).max())


@pytest.mark.parametrize("trivial", [True, False])
@pytest.mark.parametrize("name", ["matrix_exp", "cayley", "householder"])
@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4), (2, 3, 2)], ids=str)
def test_orthogonal(lib: Any, shape: tuple[int, ...], name: str, trivial: bool) -> None:
    """The weight is orthogonal from the start and after steps of training, which lower the loss."""
    layer, target = _layer(lib, shape, name, use_trivialization=trivial), lib.from_numpy(RNG.standard_normal(shape))
    optimizer, losses = lib.optim.SGD(layer.parameters(), lr=0.02), []
    for _ in range(4):
        loss = ((layer.weight - target) ** 2).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        assert _distance(layer.weight) < 1e-12
    assert losses == sorted(losses, reverse=True)


def test_complex(lib: Any) -> None:
    """Complex weights are unitary; reflections are for real ones."""
    assert _distance(_layer(lib, (3, 2), None, "complex128").weight) < 1e-12
    with pytest.raises(ValueError, match="householder parametrization does not support complex tensors"):
        _layer(lib, (3, 3), "householder", "complex128")


def test_assignment(lib: Any) -> None:
    """With a base any orthogonal value can be assigned; without one only to reflections."""
    value = lib.from_numpy(np.linalg.qr(RNG.standard_normal((4, 4)))[0])
    layer = _layer(lib, (4, 4), "cayley")
    layer.weight = value
    assert lib.allclose(layer.weight, value)
    layer = _layer(lib, (4, 2), "householder", use_trivialization=False)
    layer.weight = value[:, :2]
    assert lib.allclose(layer.weight, value[:, :2])
    with pytest.raises(NotImplementedError, match="when use_trivialization=False"):
        _layer(lib, (4, 4), "matrix_exp", use_trivialization=False).weight = value
    with pytest.raises(ValueError, match="Expected a matrix or batch of matrices of shape"):
        layer.weight = value


def test_refused(lib: Any) -> None:
    """Maps that are unknown, weights that are no matrices or not there."""
    make = lib.nn.utils.parametrizations.orthogonal
    with pytest.raises(ValueError, match='has to be one of "matrix_exp", "cayley", "householder". Got: svd'):
        make(lib.nn.Linear(2, 2), orthogonal_map="svd")
    with pytest.raises(ValueError, match="Got a tensor of 1 dimensions"):
        make(lib.nn.Linear(2, 2), "bias")
    with pytest.raises(ValueError, match="has no parameter or buffer with name 'scale'"):
        make(lib.nn.Linear(2, 2), "scale")
