"""Functions with names and arguments of PyTorch's C++ library: those of `nn.functional`, called otherwise."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg
import specgrad.nn.functional as F

X, Y = sg.linspace(-1.0, 1.0, 24).reshape(2, 4, 3), sg.linspace(0.1, 0.9, 24).reshape(2, 4, 3)
W, B = sg.tensor([0.5, 1.0, 2.0]), sg.tensor([0.0, 1.0, -1.0])
C = sg.tensor([0.5, 1.0, 2.0, -1.0])
SIGN = sg.tensor([1.0, -1.0, 1.0])

SAME: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "layer_norm": (lambda: sg.layer_norm(X, [3], W, B, 0.1, False), lambda: F.layer_norm(X, [3], W, B, 0.1)),
    "group_norm": (lambda: sg.group_norm(X, 2, C, C, 0.1, True), lambda: F.group_norm(X, 2, C, C, 0.1)),
    "batch_norm": (
        lambda: sg.batch_norm(X, C, None, None, None, True, 0.1, 0.1, True),
        lambda: F.batch_norm(X, None, None, C, None, True, 0.1, 0.1),
    ),
    "instance_norm": (
        lambda: sg.instance_norm(X, C, None, None, None, True, 0.1, 0.1, True),
        lambda: F.instance_norm(X, None, None, C, None, True, 0.1, 0.1),
    ),
    "rms_norm": (lambda: sg.rms_norm(X, [3], W), lambda: F.rms_norm(X, [3], W)),
    "kl_div": (lambda: sg.kl_div(X, Y, 2), lambda: F.kl_div(X, Y, reduction="sum")),
    "kl_div_mean": (lambda: sg.kl_div(X, Y), lambda: F.kl_div(X, Y, reduction="none").mean()),
    "hinge": (
        lambda: sg.hinge_embedding_loss(B, SIGN, 2.0, 0),
        lambda: F.hinge_embedding_loss(B, SIGN, 2.0, reduction="none"),
    ),
    "margin": (lambda: sg.margin_ranking_loss(W, B, SIGN, 0.5), lambda: F.margin_ranking_loss(W, B, SIGN, 0.5)),
    "poisson": (
        lambda: sg.poisson_nll_loss(X, Y, False, True, 1e-3, 2),
        lambda: F.poisson_nll_loss(X, Y, False, True, eps=1e-3, reduction="sum"),
    ),
    "triplet": (
        lambda: sg.triplet_margin_loss(X, Y, X * Y, 0.5, 1.0, 1e-6, True, 0),
        lambda: F.triplet_margin_loss(X, Y, X * Y, 0.5, 1.0, 1e-6, True, reduction="none"),
    ),
    "cosine": (
        lambda: sg.cosine_embedding_loss(X[0], Y[0], C.sign(), 0.1, 2),
        lambda: F.cosine_embedding_loss(X[0], Y[0], C.sign(), 0.1, reduction="sum"),
    ),
    "pool": (lambda: sg.max_pool1d_with_indices(X, 2)[0], lambda: F.max_pool1d(X, 2)),
    "shuffle": (lambda: sg.native_channel_shuffle(X, 2), lambda: F.channel_shuffle(X, 2)),
    "nuclear": (lambda: sg.nuclear_norm(X[0]), lambda: sg.linalg.matrix_norm(X[0], "nuc")),
    "frobenius": (lambda: sg.frobenius_norm(X, [1, 2]), lambda: sg.linalg.vector_norm(X, 2, (1, 2))),
    "except": (lambda: sg.norm_except_dim(X, 2, 1), lambda: sg.linalg.vector_norm(X, 2, (0, 2), True)),
    "dropout": (lambda: sg.dropout(X, 0.5, False), lambda: X),
    "feature_dropout": (lambda: sg.feature_dropout(X, 0.5, False), lambda: X),
    "tbc": (
        lambda: sg.conv_tbc(X, sg.ones(2, 3, 5), sg.ones(5), 1),
        lambda: F.conv1d(X.permute(1, 2, 0), sg.ones(5, 3, 2), sg.ones(5), padding=1).permute(2, 0, 1),
    ),
}


@pytest.mark.cpu("tensors are made when the module is loaded")
@pytest.mark.parametrize("name", SAME)
def test_same_numbers(name: str) -> None:
    """Those of the function that does the same."""
    own, other = SAME[name]
    np.testing.assert_allclose(own().numpy(), other().numpy(), rtol=1e-6)


@pytest.mark.cpu("tensors are made when the module is loaded")
def test_statistics_of_norms() -> None:
    """The native norms also give mean and 1 / sqrt(var + eps), of rows, groups and channels."""
    x = X.numpy().astype(np.float64)
    for found, rows in (
        (sg.native_layer_norm(X, [3], None, None, 0.1), x.reshape(8, 3)),
        (sg.native_group_norm(X, None, None, 2, 4, 3, 2, 0.1), x.reshape(4, 6)),
        (sg.native_batch_norm(X, None, None, None, None, True, 0.1, 0.1), x.transpose(1, 0, 2).reshape(4, 6)),
    ):
        np.testing.assert_allclose(found[1].numpy().ravel(), rows.mean(1), atol=1e-6)
        np.testing.assert_allclose(found[2].numpy().ravel(), 1 / np.sqrt(rows.var(1) + 0.1), rtol=1e-5)
    assert sg.native_batch_norm(X, None, None, sg.zeros(4), sg.ones(4), False, 0.1, 0.1)[1].numel() == 0


@pytest.mark.cpu("draws numbers of the CPU")
def test_dropout() -> None:
    """Elements, or whole channels, become 0 and the others are scaled; the native form tells which were kept."""
    x = sg.ones(50, 40, 3)
    dropped = sg.dropout(x, 0.25, True).numpy()
    assert set(np.unique(dropped).round(4)) == {0, np.float32(1.3333)} and 0.2 < (dropped == 0).mean() < 0.3
    channels = sg.feature_dropout(x, 0.5, True).numpy()
    assert (channels == channels[..., :1]).all() and 0.4 < (channels == 0).mean() < 0.6
    scaled, retained = sg.native_dropout(x, 0.5, True)
    assert retained.dtype is sg.bool and sg.equal(scaled, retained * 2.0)
    y = sg.ones(4)
    assert sg.dropout_(y, 1.0, True) is y and y.sum() == 0


def test_tensors() -> None:
    """`range` has its end, `resize_as_` the shape of another tensor, `fill` makes a new one."""
    with pytest.warns(UserWarning, match="range is deprecated"):
        assert sg.range(1, 2.5, 0.5).tolist() == [1, 1.5, 2, 2.5] and sg.range(3, 1, -1).tolist() == [3, 2, 1]
        assert sg.range(1, 3).dtype is sg.get_default_dtype()
        with pytest.raises(RuntimeError):
            sg.range(1, 0)
    assert sg.resize_as_(sg.empty(0), sg.ones(2, 3)).shape == (2, 3)
    assert not sg.detach(sg.ones(2, requires_grad=True)).requires_grad
    assert sg.is_signed(sg.ones(1)) and not sg.is_signed(sg.ones(1, dtype=sg.uint8))


def test_unknown_reduction() -> None:
    """There are 0, 1 and 2."""
    with pytest.raises(ValueError, match="not a valid value"):
        sg.hinge_embedding_loss(sg.ones(2), sg.ones(2), 1.0, 3)
