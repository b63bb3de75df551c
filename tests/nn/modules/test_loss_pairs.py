"""Losses of values, classes and pairs: what they refuse, what they warn of, and how modules look."""

from __future__ import annotations

from typing import Any

import pytest

import specgrad as sg
from specgrad import nn

F = nn.functional
X, Y, CLASS = sg.ones(2, 3), sg.zeros(2, 3), sg.tensor([0, 2])

REFUSED: dict[str, tuple[type[Exception], str, Any]] = {
    "beta": (RuntimeError, "smooth_l1_loss.*negative", lambda: F.smooth_l1_loss(X, Y, beta=-1.0)),
    "delta": (RuntimeError, "huber_loss.*non-positive", lambda: F.huber_loss(X, Y, delta=0.0)),
    "huber's weight": (ValueError, "same size", lambda: F.huber_loss(X, Y, weight=sg.ones(3))),
    "reduction": (ValueError, "'often' is not a valid value for reduction", lambda: F.l1_loss(X, Y, reduction="often")),
    "kl's reduction": (ValueError, "batchmean", lambda: F.kl_div(X, X, reduction="often")),
    "variance": (ValueError, "negative entry", lambda: F.gaussian_nll_loss(X, Y, -X)),
    "one variance": (ValueError, "negative entry", lambda: F.gaussian_nll_loss(X, Y, -1.0)),
    "variances": (ValueError, "incorrect size", lambda: F.gaussian_nll_loss(X, Y, sg.ones(3))),
    "ranks": (RuntimeError, "same dimension", lambda: F.margin_ranking_loss(X, X[0], Y)),
    "margin": (ValueError, "greater than 0", lambda: F.triplet_margin_loss(X, X, Y, margin=0.0)),
    "margin of a module": (ValueError, "greater than 0", lambda: nn.TripletMarginLoss(margin=-1.0)),
    "triplets": (RuntimeError, "same number of dimensions", lambda: F.triplet_margin_loss(X, X, X[0])),
    "multi-target": (RuntimeError, "multi-target", lambda: F.cosine_embedding_loss(X, X, X)),
    "rows": (RuntimeError, "1D target tensor expects 2D", lambda: F.cosine_embedding_loss(X[0], X[0], X[0])),
    "power": (ValueError, "only p == 1 and p == 2", lambda: F.multi_margin_loss(X, CLASS, p=3)),
    "power of a module": (ValueError, "only p == 1 and p == 2", lambda: nn.MultiMarginLoss(p=3)),
    "class": (RuntimeError, "target out of range", lambda: F.multi_margin_loss(X, CLASS + 1)),
    "classes": (RuntimeError, "inconsistent target size", lambda: F.multi_margin_loss(X, CLASS[:1])),
    "weight": (RuntimeError, "inconsistent weight size", lambda: F.multi_margin_loss(X, CLASS, weight=sg.ones(2))),
    "label": (RuntimeError, "target out of range", lambda: F.multilabel_margin_loss(X[0], sg.tensor([3, -1, 0]))),
    "labels": (RuntimeError, "inconsistent target size", lambda: F.multilabel_margin_loss(X, CLASS)),
    "a number": (IndexError, "at least one dimension", lambda: F.multilabel_soft_margin_loss(X[0, 0], Y[0, 0])),
    "class of the cross-entropy": (
        IndexError,
        "Target 3 is out of bounds",
        lambda: F.cross_entropy(X, CLASS + 1).item(),
    ),
    "integers": (RuntimeError, "floating point", lambda: F.cosine_similarity(CLASS, CLASS, dim=0)),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    """Bad arguments are errors of PyTorch's class that say what is wrong."""
    error, message, call = REFUSED[case]
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("loss", [F.l1_loss, F.smooth_l1_loss, F.huber_loss])
def test_shapes_that_differ(loss: Any) -> None:
    """What broadcasts does so with a warning that speaks about the caller."""
    with pytest.warns(UserWarning, match=r"target size \(\[3\]\) that is different to the input size") as caught:
        assert loss(X, Y[0], reduction="none").shape == (2, 3)
    assert caught[0].filename == __file__


def test_means_of_divergences() -> None:
    """'mean' is not the divergence, which the warning says; 'batchmean' is."""
    with pytest.warns(UserWarning, match="batchmean") as caught:
        mean = F.kl_div(Y, X)
    assert caught[0].filename == __file__
    assert F.kl_div(Y, X, reduction="batchmean") == 3 * mean
    with pytest.warns(UserWarning, match="please use reduction='sum'"):
        assert F.kl_div(Y, X, size_average=False) == 6 * mean


def test_small_variances_count_as_eps() -> None:
    """The gradient of a variance below eps is that at eps, as if nothing had been limited."""
    var = sg.tensor([1e-9, 1.0], requires_grad=True)
    F.gaussian_nll_loss(sg.zeros(2), sg.zeros(2), var, eps=0.5, reduction="sum").backward()
    assert var.grad.tolist() == [1.0, 0.5]


def test_modules() -> None:
    """A loss prints as its name; its weight is part of the state; a distance of one's own is used."""
    assert repr(nn.SmoothL1Loss(beta=2.0)) == "SmoothL1Loss()"
    assert repr(nn.CosineSimilarity()) == "CosineSimilarity()"
    assert list(nn.MultiLabelSoftMarginLoss(weight=sg.ones(3)).state_dict()) == ["weight"]
    assert list(nn.MultiMarginLoss().state_dict()) == []
    loss = nn.TripletMarginWithDistanceLoss(distance_function=nn.PairwiseDistance(p=1), swap=True, reduction="none")
    assert loss(X, X, Y).tolist() == pytest.approx([0.0, 0.0])
    with pytest.warns(UserWarning, match="please use reduction='none'"):
        assert nn.HingeEmbeddingLoss(reduce=False).reduction == "none"
