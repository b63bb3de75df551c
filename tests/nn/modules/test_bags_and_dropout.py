"""Bags of embeddings, dropout of channels, and pooling by norms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad import nn

F = nn.functional
TABLE = np.random.default_rng(2).standard_normal((6, 3))
INDICES = [4, 1, 2, 5, 2, 0]
BAGS = {"from offsets": [0, 2, 2, 5], "with the end": [0, 3, 6, 6]}


def bag(mode: str, rows: np.ndarray) -> np.ndarray:
    """One bag, by NumPy."""
    return {"sum": np.sum, "mean": np.mean, "max": np.max}[mode](rows, 0) if len(rows) else np.zeros(3)


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("padding", [None, 2])
@pytest.mark.parametrize("case", BAGS)
def test_bags(case: str, padding: int | None, mode: str) -> None:
    """Each bag holds the rows from its offset to the next; padding counts in none; an empty bag is zero."""
    offsets, last = BAGS[case], case == "with the end"
    ends = offsets if last else [*offsets, len(INDICES)]
    chosen = [[i for i in INDICES[a:b] if i != padding] for a, b in zip(ends, ends[1:], strict=False)]
    layer = nn.EmbeddingBag.from_pretrained(
        sg.tensor(TABLE), freeze=False, mode=mode, include_last_offset=last, padding_idx=padding
    )
    found = layer(sg.tensor(INDICES), sg.tensor(offsets))
    np.testing.assert_allclose(found.detach().numpy(), [bag(mode, TABLE[c]) for c in chosen], rtol=1e-12)
    found.sum().backward()
    untouched = [3] if padding is None else [2, 3]
    assert layer.weight.grad is not None and layer.weight.grad[untouched].abs().sum() == 0


def test_bags_of_a_matrix() -> None:
    """The rows of a matrix are bags of one size; weights scale what is added up; rows can be limited in length."""
    weights = np.arange(6.0)
    found = F.embedding_bag(
        sg.tensor(INDICES).view(2, 3), sg.tensor(TABLE), mode="sum", per_sample_weights=sg.tensor(weights).view(2, 3)
    )
    expected = (TABLE[INDICES] * weights[:, None]).reshape(2, 3, 3).sum(1)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-12)
    table = sg.tensor(TABLE * 10)
    F.embedding_bag(sg.tensor([[1, 2]]), table, max_norm=1.0)
    assert table[1:3].norm(dim=1).tolist() == pytest.approx([1.0, 1.0], rel=1e-6)
    assert table[0].norm() > 1


W, INDEX = sg.tensor(TABLE), sg.tensor(INDICES)
REFUSED: dict[str, tuple[type[Exception], str, Any]] = {
    "no offsets": (ValueError, "offsets has to be a 1D Tensor", lambda: F.embedding_bag(INDEX, W)),
    "offsets of rows": (ValueError, "offsets has to be None", lambda: F.embedding_bag(INDEX.view(2, 3), W, INDEX)),
    "start": (RuntimeError, "offsets.0. has to be 0", lambda: F.embedding_bag(INDEX, W, sg.tensor([1]))),
    "beyond": (RuntimeError, "can not be greater", lambda: F.embedding_bag(INDEX, W, sg.tensor([0, 7]))),
    "back": (RuntimeError, "do not decrease", lambda: F.embedding_bag(INDEX, W, sg.tensor([0, 3, 2]))),
    "mode": (ValueError, "mode has to be one of", lambda: F.embedding_bag(INDEX.view(2, 3), W, mode="min")),
    "row": (IndexError, "out of range", lambda: F.embedding_bag(INDEX.view(2, 3) + 1, W)),
    "padding": (RuntimeError, "padding_idx", lambda: F.embedding_bag(INDEX.view(2, 3), W, padding_idx=6)),
    "shape": (ValueError, "1D or 2D", lambda: F.embedding_bag(INDEX.view(1, 2, 3), W)),
    "weights": (
        ValueError,
        "same shape",
        lambda: F.embedding_bag(INDEX.view(2, 3), W, mode="sum", per_sample_weights=W),
    ),
    "weighted mean": (
        NotImplementedError,
        "only supported for mode='sum'",
        lambda: F.embedding_bag(INDEX.view(2, 3), W, per_sample_weights=sg.ones(2, 3).double()),
    ),
    "dropout1d": (RuntimeError, "Expected 2D or 3D input", lambda: F.dropout1d(W[0])),
    "features": (RuntimeError, "at least 2 dimensions", lambda: F.feature_alpha_dropout(W[0], 0.5, True)),
    "probability": (ValueError, "between 0 and 1", lambda: F.alpha_dropout(W, 2.0)),
    "probability of a layer": (ValueError, "between 0 and 1", lambda: nn.Dropout2d(-0.5)),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    """Bad arguments are errors of PyTorch's class that say what is wrong."""
    error, message, call = REFUSED[case]
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize(
    ("name", "shape"),
    [("dropout1d", (200, 1, 3)), ("dropout1d", (200, 3)), ("dropout2d", (40, 5, 3, 2)), ("dropout3d", (200, 1, 2, 3))],
)
@pytest.mark.parametrize("inplace", [False, True])
def test_dropout_of_channels(name: str, shape: tuple[int, ...], inplace: bool) -> None:
    """A channel is zero as a whole, or as a whole scaled so that the mean stays; without training nothing changes."""
    sg.manual_seed(0)
    x = sg.ones(shape)
    found = getattr(F, name)(x, 0.25, inplace=inplace)
    assert (found is x) == inplace
    channels = found.reshape(200, -1).numpy()
    assert set(np.unique(channels)) == {0.0, np.float32(4 / 3)}
    assert (channels == channels[:, :1]).all()
    assert 0.1 < (channels[:, 0] == 0).mean() < 0.4
    assert getattr(F, name)(x, training=False) is x


def test_unusual_dimensions_warn() -> None:
    """Images without samples are taken as signals, and said to be."""
    with pytest.warns(UserWarning, match="Received a 3D input to dropout2d"):
        F.dropout2d(sg.ones(2, 3, 4))
    with pytest.warns(UserWarning, match="Received a 2-D input to dropout3d"):
        F.dropout3d(sg.ones(2, 3))


@pytest.mark.parametrize("name", ["alpha_dropout", "feature_alpha_dropout"])
def test_alpha_dropout_keeps_mean_and_variance(name: str) -> None:
    """So it does for numbers of mean 0 and variance 1, of which each takes one of two ways."""
    sg.manual_seed(0)
    x = sg.randn(40000, 1) if name == "alpha_dropout" else sg.randn(20000, 2, 1)
    found = getattr(F, name)(x, 0.3, training=True)
    assert abs(float(found.mean())) < 0.03 and abs(float(found.var()) - 1) < 0.05
    mode_values = np.unique(found.numpy(), return_counts=True)[1].max()
    assert 0.25 < mode_values / x.numel() < 0.35
    assert getattr(F, name)(x) is x
    changed = x.clone()
    assert getattr(F, name)(changed, 0.3, training=True, inplace=True) is changed


def test_pooling_by_norms() -> None:
    """The norm for p = inf is the largest absolute value; layers print what they were made with."""
    x = sg.tensor([[[-3.0, 2.0, 1.0, 4.0]]])
    assert F.lp_pool1d(x, float("inf"), 2).tolist() == [[[3.0, 4.0]]]
    assert F.lp_pool1d(x, -float("inf"), 2).tolist() == [[[2.0, 1.0]]]
    assert (
        repr(nn.LPPool2d(2, (3, 2), stride=1)) == "LPPool2d(norm_type=2, kernel_size=(3, 2), stride=1, ceil_mode=False)"
    )
    assert repr(nn.EmbeddingBag(4, 3, mode="sum")) == "EmbeddingBag(4, 3, mode='sum')"
    assert repr(nn.AlphaDropout()) == "AlphaDropout(p=0.5, inplace=False)"


def test_windows_at_random_places() -> None:
    """Each window's maximum is found where the indices say; windows begin in order, the last at the end."""
    sg.manual_seed(0)
    x = sg.rand(2, 3, 9, 7)
    values, indices = F.fractional_max_pool2d(x, (2, 3), (5, 4), return_indices=True)
    assert values.shape == indices.shape == (2, 3, 5, 4)
    np.testing.assert_array_equal(x.flatten(2).gather(2, indices.flatten(2)).view(values.shape), values)
    assert (indices[..., 1:, :] // 7 >= indices[..., :-1, :] // 7 - 1).all() and (indices[..., -1, :] // 7 >= 7).all()
    full = F.fractional_max_pool3d(x[:, None], (3, 9, 7), 1)
    assert full.tolist() == x.amax((1, 2, 3)).view(2, 1, 1, 1, 1).tolist()
    assert F.fractional_max_pool2d(x[0], 2, output_ratio=(0.5, 0.5)).shape == (3, 4, 3)


BAD_WINDOWS: dict[str, tuple[type[Exception], str, Any]] = {
    "no size": (ValueError, "either an output_size or an output_ratio", lambda: F.fractional_max_pool2d(W[None], 2)),
    "too many": (RuntimeError, "windows that fit", lambda: F.fractional_max_pool2d(W[None], 2, 6)),
    "rank": (RuntimeError, "Expected 3D or 4D", lambda: F.fractional_max_pool2d(W, 2, 2)),
    "no size of a layer": (ValueError, "output size, or a pooling ratio", lambda: nn.FractionalMaxPool2d(2)),
    "two sizes": (ValueError, "only one of", lambda: nn.FractionalMaxPool3d(2, 2, 0.5)),
    "ratio": (ValueError, "between 0 and 1", lambda: nn.FractionalMaxPool3d(2, output_ratio=1.5)),
    "kernel": (ValueError, "greater than 0", lambda: nn.FractionalMaxPool3d(0, 2)),
}


@pytest.mark.parametrize("case", BAD_WINDOWS)
def test_refused_windows(case: str) -> None:
    """Windows that are not told or do not fit are errors of PyTorch's class."""
    error, message, call = BAD_WINDOWS[case]
    with pytest.raises(error, match=message):
        call()
