"""Connectionist temporal classification: edges, errors, and agreement with itself in another order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad import nn

F = nn.functional
SCORES = np.random.default_rng(3).standard_normal((6, 2, 4))
LABELS = sg.tensor([[1, 1, 3], [2, 0, 0]])


def log_probs(requires_grad: bool = False) -> Any:
    """Of random scores."""
    return F.log_softmax(sg.tensor(SCORES, requires_grad=requires_grad), 2)


def test_probabilities_of_all_labels_add_up() -> None:
    """Over all sequences of labels the probabilities are one, and so the gradients at each step add up to nothing."""
    x = sg.tensor(SCORES[:2, :1], requires_grad=True)
    sequences = [[], *[[a] for a in (1, 2, 3)], *[[a, b] for a in (1, 2, 3) for b in (1, 2, 3) if a != b]]
    losses = [
        F.ctc_loss(F.log_softmax(x, 2), sg.tensor(labels, dtype=sg.int64), [2], [len(labels)], reduction="sum")
        for labels in sequences
    ]
    total = sum((-loss).exp() for loss in losses)
    assert float(total) == pytest.approx(1)
    (gradient,) = sg.autograd.grad(total, x)
    np.testing.assert_allclose(gradient.numpy(), 0, atol=1e-12)


def test_labels_that_do_not_fit() -> None:
    """Their loss is infinite, or zero with a gradient of zero if so wished; empty sequences fit into nothing."""
    x = log_probs(requires_grad=True)
    x.retain_grad()
    losses = F.ctc_loss(x, LABELS, [3, 0], [3, 0], reduction="none")
    assert losses.tolist() == [np.inf, 0.0]
    F.ctc_loss(x, LABELS, [3, 6], [3, 1], zero_infinity=True).backward()
    assert x.grad[:, 0].abs().sum() == 0 and x.grad[:, 1].abs().sum() > 0


def test_forms_of_the_same() -> None:
    """Labels in rows or one after another, lengths as lists or tensors, in float32 too: the same loss."""
    x = log_probs()
    expected = F.ctc_loss(x, LABELS, [6, 5], [3, 1])
    lengths = sg.tensor([6, 5]), sg.tensor([3, 1])
    others = [
        F.ctc_loss(x, sg.tensor([1, 1, 3, 2]), *lengths),
        F.ctc_loss(x, LABELS.int(), *lengths),
        nn.CTCLoss()(x, LABELS, (6, 5), (3, 1)),
        F.ctc_loss(x.flip(2), 3 - LABELS, [6, 5], [3, 1], blank=3),
        F.ctc_loss(x.float(), LABELS, *lengths).double(),
    ]
    assert [float(loss) for loss in others] == pytest.approx([float(expected)] * 5, rel=1e-6)
    alone = F.ctc_loss(x[:, 0], LABELS[0], sg.tensor(6), sg.tensor(3), reduction="none")
    assert alone.shape == () and alone == F.ctc_loss(x, LABELS, [6, 5], [3, 1], reduction="none")[0]


X = sg.zeros(6, 2, 4)
REFUSED: dict[str, tuple[type[Exception], str, Any]] = {
    "steps": (RuntimeError, "at most 6, but got 7", lambda: F.ctc_loss(X, LABELS, [7, 1], [1, 1])),
    "negative": (RuntimeError, "at least 0", lambda: F.ctc_loss(X, LABELS, [6, 1], [-1, 1])),
    "samples": (RuntimeError, "input_lengths must be of size batch_size 2", lambda: F.ctc_loss(X, LABELS, [6], [1, 1])),
    "blank": (RuntimeError, "blank must be in label range", lambda: F.ctc_loss(X, LABELS, [6, 6], [1, 1], blank=4)),
    "rows": (RuntimeError, "at least 4 at dimension 1", lambda: F.ctc_loss(X, LABELS, [6, 6], [4, 1])),
    "labels": (RuntimeError, "to have size 3", lambda: F.ctc_loss(X, LABELS[0, :2], [6, 6], [2, 1])),
    "no class": (RuntimeError, "expected labels in", lambda: F.ctc_loss(X, LABELS + 1, [6, 6], [3, 1])),
    "dtype": (RuntimeError, "expected targets of dtype", lambda: F.ctc_loss(X, LABELS.float(), [6, 6], [3, 1])),
    "rank": (RuntimeError, "2 or 3 dimensions", lambda: F.ctc_loss(X[0, 0], LABELS, [6], [3])),
    "reduction": (ValueError, "'often'", lambda: F.ctc_loss(X, LABELS, [6, 6], [3, 1], reduction="often")),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    """Bad arguments are errors of PyTorch's class that say what is wrong."""
    error, message, call = REFUSED[case]
    with pytest.raises(error, match=message):
        call()
