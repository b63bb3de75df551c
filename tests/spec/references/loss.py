"""References of the section loss of derivatives.yaml: what its ops give, in terms of NumPy and SciPy."""

import math

import numpy as np
import scipy


def nll_loss(self, target, weight, reduction, ignore_index):
    counted = np.where(
        target == ignore_index, 0.0, 1.0 if weight is None else weight[np.where(target == ignore_index, 0, target)]
    )
    picked = np.take_along_axis(
        self, np.expand_dims(np.where(target == ignore_index, 0, target), min(1, self.ndim - 1)), min(1, self.ndim - 1)
    ).reshape(target.shape)
    return (
        (-counted * picked, None)
        if reduction == 0
        else (-np.sum(counted * picked) / (np.sum(counted) if reduction == 1 else 1), np.sum(counted))
    )


def nll_loss_backward(grad_output, target, weight, total_weight, input_shape, reduction, ignore_index):
    dim = min(1, target.ndim)
    classes = np.expand_dims(np.arange(input_shape[dim]), tuple(range(1, 1 + target.ndim - dim)))
    label = np.expand_dims(target, dim)
    return np.where(
        (classes == label) & (label != ignore_index),
        -(1 if weight is None else weight[classes])
        * (
            np.expand_dims(grad_output, dim)
            if reduction == 0
            else grad_output / (total_weight if reduction == 1 else 1)
        ),
        0.0,
    )


def cross_entropy_loss(self, target, weight, reduction, ignore_index, label_smoothing):
    scores = scipy.special.log_softmax(np.moveaxis(self, min(1, self.ndim - 1), -1), -1)
    known = np.where(target == ignore_index, 0, target)
    weights = np.ones(self.shape[min(1, self.ndim - 1)]) if weight is None else weight
    counted = np.where(target == ignore_index, 0, weights[known])
    loss = -np.where(
        target == ignore_index,
        0,
        (1 - label_smoothing) * weights[known] * np.take_along_axis(scores, known[..., None], -1)[..., 0]
        + label_smoothing * np.mean(weights * scores, -1),
    )
    return (loss if reduction == 0 else np.sum(loss) / (np.sum(counted) if reduction == 1 else 1), None)


def mse_loss(self, target, reduction):
    loss = np.square(self - target)
    return loss if reduction == 0 else np.mean(loss) if reduction == 1 else np.sum(loss)


def binary_cross_entropy(self, target, weight, reduction):
    loss = -(scipy.special.xlogy(target, self) + scipy.special.xlog1py(1 - target, -self)) * (
        1 if weight is None else weight
    )
    return loss if reduction == 0 else np.mean(loss) if reduction == 1 else np.sum(loss)


def binary_cross_entropy_with_logits(self, target, weight, pos_weight, reduction):
    loss = -(1 if weight is None else weight) * (
        target * (1 if pos_weight is None else pos_weight) * scipy.special.log_expit(self)
        + (1 - target) * scipy.special.log_expit(-self)
    )
    return loss if reduction == 0 else np.mean(loss) if reduction == 1 else np.sum(loss)


def l1_loss(self, target, size_average, reduce, reduction, weight):
    how = (
        reduction
        if size_average is reduce is None
        else "none"
        if reduce is False
        else "sum"
        if size_average is False
        else "mean"
    )
    loss = np.abs(self - target)
    return (
        loss * (1 if weight is None else weight)
        if how == "none"
        else np.average(loss, weights=weight)
        * (1 if how == "mean" else loss.size if weight is None else np.sum(weight))
    )


def smooth_l1_loss(self, target, size_average, reduce, reduction, beta):
    how = (
        reduction
        if size_average is reduce is None
        else "none"
        if reduce is False
        else "sum"
        if size_average is False
        else "mean"
    )
    loss = scipy.special.huber(beta, self - target) / beta if beta else np.abs(self - target)
    return loss if how == "none" else np.mean(loss) if how == "mean" else np.sum(loss)


def huber_loss(self, target, reduction, delta, weight):
    loss = scipy.special.huber(delta, self - target) * (1 if weight is None else weight)
    return loss if reduction == "none" else np.mean(loss) if reduction == "mean" else np.sum(loss)


def kl_div(self, target, size_average, reduce, reduction, log_target):
    how = (
        reduction
        if size_average is reduce is None
        else "none"
        if reduce is False
        else "sum"
        if size_average is False
        else "mean"
    )
    loss = np.exp(target) * (target - self) if log_target else scipy.special.xlogy(target, target) - target * self
    return (
        loss
        if how == "none"
        else np.mean(loss)
        if how == "mean"
        else np.sum(loss) / (len(loss) if how == "batchmean" and self.ndim else 1)
    )


def poisson_nll_loss(self, target, log_input, full, size_average, eps, reduce, reduction):
    how = (
        reduction
        if size_average is reduce is None
        else "none"
        if reduce is False
        else "sum"
        if size_average is False
        else "mean"
    )
    loss = (np.exp(self) - target * self if log_input else self - target * np.log(self + eps)) + np.where(
        full & (target > 1),
        scipy.special.xlogy(target, target) - target + np.log(2 * np.pi * np.maximum(target, 1)) / 2,
        0,
    )
    return loss if how == "none" else np.mean(loss) if how == "mean" else np.sum(loss)


def gaussian_nll_loss(self, target, var, full, eps, reduction):
    v = np.maximum(var if np.ndim(var) in (0, self.ndim) else var[..., None], eps)
    loss = (np.log(v) + (self - target) ** 2 / v + full * np.log(2 * np.pi)) / 2
    return loss if reduction == "none" else np.mean(loss) if reduction == "mean" else np.sum(loss)


def gaussian_nll_loss_float(self, target, var, full, eps, reduction):
    loss = (np.log(max(var, eps)) + (self - target) ** 2 / max(var, eps) + full * np.log(2 * np.pi)) / 2
    return loss if reduction == "none" else np.mean(loss) if reduction == "mean" else np.sum(loss)


def soft_margin_loss(self, target, size_average, reduce, reduction):
    how = (
        reduction
        if size_average is reduce is None
        else "none"
        if reduce is False
        else "sum"
        if size_average is False
        else "mean"
    )
    loss = np.logaddexp(0, -self * target)
    return loss if how == "none" else np.mean(loss) if how == "mean" else np.sum(loss)


def hinge_embedding_loss(self, target, margin, size_average, reduce, reduction):
    how = (
        reduction
        if size_average is reduce is None
        else "none"
        if reduce is False
        else "sum"
        if size_average is False
        else "mean"
    )
    loss = np.where(target == 1, self, np.maximum(margin - self, 0))
    return loss if how == "none" else np.mean(loss) if how == "mean" else np.sum(loss)


def margin_ranking_loss(input1, input2, target, margin, size_average, reduce, reduction):
    how = (
        reduction
        if size_average is reduce is None
        else "none"
        if reduce is False
        else "sum"
        if size_average is False
        else "mean"
    )
    loss = np.maximum(margin - target * (input1 - input2), 0)
    return loss if how == "none" else np.mean(loss) if how == "mean" else np.sum(loss)


def triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, size_average, reduce, reduction):
    how = (
        reduction
        if size_average is reduce is None
        else "none"
        if reduce is False
        else "sum"
        if size_average is False
        else "mean"
    )
    apart = lambda a, b: np.linalg.norm(a - b + eps, p, axis=-1)
    loss = np.maximum(
        margin
        + apart(anchor, positive)
        - (np.minimum(apart(anchor, negative), apart(positive, negative)) if swap else apart(anchor, negative)),
        0,
    )
    return loss if how == "none" else np.mean(loss) if how == "mean" else np.sum(loss)


def cosine_embedding_loss(input1, input2, target, margin, size_average, reduce, reduction):
    how = (
        reduction
        if size_average is reduce is None
        else "none"
        if reduce is False
        else "sum"
        if size_average is False
        else "mean"
    )
    return (
        (lambda loss: loss if how == "none" else np.mean(loss) if how == "mean" else np.sum(loss))(
            (lambda cosine: np.where(target == 1, 1 - cosine, np.maximum(cosine - margin, 0)))(
                np.sum(input1 * input2, -1)
                / np.hypot(np.linalg.norm(input1, axis=-1), 1e-6)
                / np.hypot(np.linalg.norm(input2, axis=-1), 1e-6)
            )
        )
        if input1.size
        else None
    )


def multi_margin_loss(self, target, p, margin, weight, size_average, reduce, reduction):
    how = (
        reduction
        if size_average is reduce is None
        else "none"
        if reduce is False
        else "sum"
        if size_average is False
        else "mean"
    )
    x = np.atleast_2d(self)
    t = np.atleast_1d(target)
    own = np.take_along_axis(x, t[:, None], 1)
    loss = (
        np.sum(
            np.where(
                np.arange(x.shape[1]) == t[:, None],
                0,
                np.maximum(margin - own + x, 0) ** p * (1 if weight is None else weight[t][:, None]),
            ),
            1,
        )
        / x.shape[1]
    ).reshape(target.shape)
    return loss if how == "none" else np.mean(loss) if how == "mean" else np.sum(loss)


def multilabel_margin_loss(self, target, size_average, reduce, reduction):
    losses = np.reshape(
        [
            sum(max(0, 1 - x[j] + x[i]) for j in own for i in range(len(x)) if i not in own) / len(x)
            for x, own in [
                (x, t[: [*(t < 0), True].index(True)]) for x, t in zip(np.atleast_2d(self), np.atleast_2d(target))
            ]
        ],
        self.shape[:-1],
    )
    return (
        losses
        if reduce is False or (reduction == "none" and size_average is reduce is None)
        else np.sum(losses)
        if size_average is False or (reduction == "sum" and size_average is reduce is None)
        else np.mean(losses)
    )


def multilabel_soft_margin_loss(self, target, weight, size_average, reduce, reduction):
    how = (
        reduction
        if size_average is reduce is None
        else "none"
        if reduce is False
        else "sum"
        if size_average is False
        else "mean"
    )
    loss = (
        -np.sum(
            (1 if weight is None else weight)
            * (target * scipy.special.log_expit(self) + (1 - target) * scipy.special.log_expit(-self)),
            -1,
        )
        / self.shape[-1]
    )
    return loss if how == "none" else np.mean(loss) if how == "mean" else np.sum(loss)


def ctc_values(log_probs, targets, input_lengths, target_lengths, blank):
    steps = log_probs
    return np.array(
        [
            -np.log(
                sum(
                    math.exp(sum(steps[t, n, k] for t, k in enumerate(path)))
                    for path in np.ndindex(*[steps.shape[2] for t in range(input_lengths[n])])
                    if [k for k, last in zip(path, (-1, *path)) if k not in (last, blank)]
                    == list(targets[n, : target_lengths[n]])
                )
            )
            for n in range(steps.shape[1])
        ]
    )


def ctc_loss_intlist(log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity):
    steps = log_probs.reshape(len(log_probs), -1, log_probs.shape[-1])
    rows = targets if targets.ndim == 2 else np.split(targets, np.cumsum(target_lengths))
    label = lambda n: list(rows[n][: target_lengths[n]])
    shown = lambda path: [k for k, last in zip(path, (-1, *path)) if k not in (last, blank)]
    paths = lambda n: np.ndindex(*[steps.shape[2] for t in range(input_lengths[n])])
    likelihood = lambda n, path: math.exp(sum(steps[t, n, k] for t, k in enumerate(path)))
    losses = np.array(
        [
            -np.log(sum(likelihood(n, path) for path in paths(n) if shown(path) == label(n)))
            for n in range(steps.shape[1])
        ]
    )
    each = np.where(np.isposinf(losses) & zero_infinity, 0, losses)
    return (
        None
        if np.any(targets == blank)
        else np.mean(each / np.maximum(target_lengths, 1))
        if reduction == "mean"
        else np.sum(each)
        if reduction == "sum"
        else each.reshape(log_probs.shape[1:-1])
    )


def ctc_loss_tensor(log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity):
    steps = log_probs.reshape(len(log_probs), -1, log_probs.shape[-1])
    rows = targets if targets.ndim == 2 else np.split(targets, np.cumsum(target_lengths))
    label = lambda n: list(rows[n][: np.ravel(target_lengths)[n]])
    shown = lambda path: [k for k, last in zip(path, (-1, *path)) if k not in (last, blank)]
    paths = lambda n: np.ndindex(*[steps.shape[2] for t in range(np.ravel(input_lengths)[n])])
    likelihood = lambda n, path: math.exp(sum(steps[t, n, k] for t, k in enumerate(path)))
    losses = np.array(
        [
            -np.log(sum(likelihood(n, path) for path in paths(n) if shown(path) == label(n)))
            for n in range(steps.shape[1])
        ]
    )
    each = np.where(np.isposinf(losses) & zero_infinity, 0, losses)
    return (
        None
        if np.any(targets == blank)
        else np.mean(each / np.maximum(target_lengths, 1))
        if reduction == "mean"
        else np.sum(each)
        if reduction == "sum"
        else each.reshape(log_probs.shape[1:-1])
    )
