"""Argument checks of losses. `reduction` is 0 (none), 1 (mean) or 2 (sum), or a word that overrules two older flags."""

import warnings
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ...dispatch.argument_checks import string, wrap_dim
from ...dispatch.shape_rules import all_examples, broadcastable, is_recorded, require_index_dtype, require_shape
from ...errors import DimensionError, DtypeError, ShapeError, warn_user
from ...namespace import op as ops
from ...shapes import broadcast_shapes
from ...tensor import dtypes
from ...tensor.tensor import host_array


def _require_reduction(op: str, reduction: int) -> None:
    if reduction not in (0, 1, 2):
        raise ValueError(f"{op}(): expected reduction 0 (none), 1 (mean) or 2 (sum), got {reduction}")


def pointwise_loss(op: str, input: Any, target: Any, *rest: Any) -> tuple[Any, ...]:
    """A target for every value; the weights in `rest`, before the reduction, broadcast to the values."""
    if target._shape != input._shape:
        raise ValueError(
            f"{op}(): Using a target size ({list(target._shape)}) that is different to the input size "
            f"({list(input._shape)}): please ensure they have the same size."
        )
    _require_reduction(op, rest[-1])
    for weight in rest[:-1]:
        broadcastable(op, "weight", weight, input._shape)
    return input, target, *rest


def probabilities(op: str, input: Any, target: Any, *rest: Any) -> tuple[Any, ...]:
    """The arguments of `pointwise_loss`, with numbers between 0 and 1."""
    pointwise_loss(op, input, target, *rest)
    if not input.is_meta:
        try:
            ops.require_unit_interval(all_examples(input).detach(), all_examples(target).detach())
        except RuntimeError as error:
            raise RuntimeError(str(error).replace("require_unit_interval", op)) from None
    return input, target, *rest


def nll_loss(op: str, input: Any, target: Any, weight: Any, reduction: int, ignore_index: int) -> tuple[Any, ...]:
    """Input (classes,) with target (), or (batch, classes, *dims) with target (batch, *dims)."""
    _require_classes(op, target, weight, input._shape)
    _require_reduction(op, reduction)
    return input, target, weight, reduction, ignore_index


def cross_entropy(
    op: str, input: Any, target: Any, weight: Any, reduction: int, ignore_index: int, label_smoothing: float
) -> tuple[Any, ...]:
    """Input and target of the shapes that `nll_loss` takes, and a label smoothing in [0, 1]."""
    if weight is not None or target._dtype is not dtypes.int64 or target._shape != input._shape[:1] or input.ndim != 2:
        _require_classes(op, target, weight, input._shape)
    _require_reduction(op, reduction)
    if not 0 <= label_smoothing <= 1:
        raise RuntimeError(f"{op}(): label_smoothing must be between 0.0 and 1.0, got {label_smoothing}")
    return input, target, weight, reduction, ignore_index, label_smoothing


def nll_loss_backward(
    op: str, grad_output: Any, target: Any, weight: Any, total_weight: Any, input_shape: Sequence[int], reduction: int,
    ignore_index: int,
) -> tuple[Any, ...]:  # fmt: skip
    """Target and weight that fit input_shape as in `nll_loss`, and a gradient in the shape of the reduced loss."""
    _require_classes(op, target, weight, tuple(input_shape))
    _require_reduction(op, reduction)
    require_shape(op, "grad_output", grad_output, () if reduction else target._shape)
    require_shape(op, "total_weight", total_weight, ())
    return grad_output, target, weight, total_weight, tuple(input_shape), reduction, ignore_index


def _require_classes(op: str, target: Any, weight: Any, shape: Sequence[int]) -> None:
    if not shape:
        raise ValueError(f"{op}(): Expected 1 or more dimensions, got a 0-d input")
    require_index_dtype(op, "target", target, (dtypes.int64, dtypes.uint8))
    classes = shape[min(len(shape), 2) - 1]
    if len(shape) > 1 and target._shape[:1] != tuple(shape[:1]):
        raise ValueError(
            f"{op}(): Expected input batch_size ({shape[0]}) to match target batch_size "
            f"({target._shape[0] if target._shape else 'none'})."
        )
    expected = (shape[0], *shape[2:]) if len(shape) > 1 else ()
    require_shape(op, "target", target, expected)
    if weight is not None and tuple(weight._shape) != (classes,):
        raise ShapeError(
            f"{op}(): weight tensor should be defined either for all {classes} classes or no classes but got "
            f"weight tensor of shape: {list(weight._shape)}"
        )


def same_sizes(op: str, input: Any, target: Any, *rest: Any) -> tuple[Any, ...]:
    """Input and target broadcast to each other, with a warning where they differ; a weight has input's shape."""
    _require_same_size(op, rest[-1], input)
    return *expanded(op, input, target), *rest


def floating_values(op: str, input: Any, target: Any, *rest: Any) -> tuple[Any, ...]:
    """Input and target are floating-point."""
    for name, tensor in (("input", input), ("target", target)):
        if tensor.dtype.kind != "f":
            raise DtypeError(f"{op}(): expected {name} of a floating point dtype, got {tensor.dtype.name}")
    return input, target, *rest


def smooth_l1(op: str, input: Any, target: Any, *rest: Any) -> tuple[Any, ...]:
    """Input and target broadcast to each other, with a warning where they differ; beta is not negative."""
    beta = rest[-1]
    if beta < 0:
        raise RuntimeError(f"{op}(): smooth_l1_loss does not support negative values for beta, got {beta}")
    return *expanded(op, input, target), *rest


def huber(op: str, input: Any, target: Any, reduction: str, delta: float, weight: Any) -> tuple[Any, ...]:
    """Input and target broadcast, with a warning where they differ; delta is positive, a weight has input's shape."""
    if not delta > 0:
        raise RuntimeError(f"{op}(): huber_loss does not support non-positive values for delta, got {delta}")
    _require_same_size(op, weight, input)
    return *expanded(op, input, target), reduction, delta, weight


def _require_same_size(op: str, weight: Any, input: Any) -> None:
    if weight is not None and weight._shape != input._shape:
        raise ValueError(
            f"{op}(): Weights and input must have the same size, got {list(weight._shape)} and {list(input._shape)}"
        )


def expanded(op: str, input: Any, target: Any, stacklevel: int = 4) -> tuple[Any, Any]:
    """Both in their common shape, with PyTorch's warning if that is not their own."""
    if input._shape == target._shape:
        return input, target
    shape = broadcast_shapes(op, input._shape, target._shape)
    warnings.warn(
        f"Using a target size ({list(target._shape)}) that is different to the input size "
        f"({list(input._shape)}). This will likely lead to incorrect results due to broadcasting. "
        "Please ensure they have the same size.",
        stacklevel=stacklevel,
    )
    return input.expand(shape), target.expand(shape)


def gaussian_nll(op: str, input: Any, target: Any, var: Any, *rest: Any) -> tuple[Any, ...]:
    """var is a number, has input's shape, or one number for each row; nothing of it is negative."""
    if not hasattr(var, "shape"):
        negative = var < 0
    else:
        if var._shape != input._shape:
            var = _one_for_each_row(op, input, var)
        negative = not is_recorded(var) and bool((all_examples(var).detach() < 0).any())
    if negative:
        raise ValueError(f"{op}(): var has negative entry/entries")
    return input, target, var, *rest


def _one_for_each_row(op: str, input: Any, var: Any) -> Any:
    """Variances that broadcast to input in one dimension."""
    if var._shape == input._shape[:-1] and input.ndim:
        return var.unsqueeze(-1)
    same_rank = input.ndim == var.ndim
    if same_rank and sum(m for n, m in zip(input._shape, var._shape, strict=True) if n != m) == 1:
        return var
    raise ValueError(f"{op}(): var is of incorrect size: {list(var._shape)} for input of shape {list(input._shape)}")


def margin_ranking(op: str, input1: Any, input2: Any, target: Any, *rest: Any) -> tuple[Any, ...]:
    """Inputs and target have as many dimensions."""
    if not input1.ndim == input2.ndim == target.ndim:
        raise ShapeError(
            f"{op}(): All input tensors should have same dimension but got sizes: input1: {list(input1._shape)}, "
            f"input2: {list(input2._shape)}, target: {list(target._shape)}"
        )
    return input1, input2, target, *rest


def along_common_dim(op: str, x1: Any, x2: Any, dim: int, eps: float) -> tuple[Any, ...]:
    """Vectors along `dim` of the shape that both broadcast to; floating-point in common."""
    if dtypes.result_type(x1, x2).kind not in "fc":
        result = dtypes.result_type(x1, x2).name
        raise DtypeError(f"{op}(): expected common dtype to be floating point, yet common dtype is {result}")
    shape = broadcast_shapes(op, x1._shape, x2._shape)
    return x1.expand(shape), x2.expand(shape), wrap_dim(op, dim, len(shape)), eps


def triplet(op: str, anchor: Any, positive: Any, negative: Any, margin: float, *rest: Any) -> tuple[Any, ...]:
    """Three tensors of as many dimensions, and a positive margin."""
    if not margin > 0:
        raise ValueError(f"{op}(): margin must be greater than 0, got {margin}")
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise ShapeError(
            f"{op}(): The anchor, positive, and negative tensors are expected to have the same number of dimensions, "
            f"but got: anchor {anchor.ndim}D, positive {positive.ndim}D, and negative {negative.ndim}D inputs"
        )
    return anchor, positive, negative, margin, *rest


def cosine_embedding(op: str, input1: Any, input2: Any, target: Any, *rest: Any) -> tuple[Any, ...]:
    """Two vectors and a number, or two matrices and a number for each row."""
    if target.ndim not in (0, 1):
        raise ShapeError(
            f"{op}(): 0D or 1D target tensor expected, multi-target not supported, got shape {list(target._shape)}"
        )
    output_mask = target.ndim + 1
    if input1.ndim != output_mask or input2.ndim != output_mask:
        raise ShapeError(
            f"{op}(): {target.ndim}D target tensor expects {output_mask}D input tensors, but found inputs with sizes "
            f"{list(input1._shape)} and {list(input2._shape)}"
        )
    return input1, input2, target, *rest


def multi_margin(op: str, input: Any, target: Any, p: int, margin: float, weight: Any, *rest: Any) -> tuple[Any, ...]:
    """Scores (batch, classes) or (classes,), a class for each row, p of 1 or 2, and one weight for each class."""
    if p not in (1, 2):
        raise ValueError(f"{op}(): only p == 1 and p == 2 supported, got p = {p}")
    _require_scores(op, input, target)
    input = input if input.ndim else input.reshape([1])
    rows = input._shape[0] if input.ndim == 2 else 1
    if target.ndim > 1 or target.numel() != rows:
        raise ShapeError(f"{op}(): inconsistent target size, expected {rows} but got {list(target._shape)}")
    _require_class_range(op, target, 0, input._shape[-1])
    if weight is not None and weight.ndim != 1:
        raise ValueError(f"{op}(): weight must be one-dimensional, got shape {list(weight._shape)}")
    if weight is not None and weight.numel() != input._shape[-1]:
        raise ShapeError(f"{op}(): inconsistent weight size, expected {input._shape[-1]} but got {list(weight._shape)}")
    return input, target, p, margin, weight, *rest


def _require_scores(op: str, input: Any, target: Any) -> None:
    if input.ndim > 2 or (input.ndim and not input._shape[-1]):
        raise ShapeError(
            f"{op}(): Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(input._shape)}"
        )
    require_index_dtype(op, "target", target, (dtypes.int64,))


def multilabel_margin(op: str, input: Any, target: Any, *rest: Any) -> tuple[Any, ...]:
    """Scores (batch, classes) or (classes,), and as many class numbers, of which the first -1 ends a row."""
    _require_scores(op, input, target)
    if target._shape != input._shape:
        raise ShapeError(
            f"{op}(): inconsistent target size: {list(target._shape)} for input of size: {list(input._shape)}"
        )
    input, target = (x if x.ndim else x.reshape([1]) for x in (input, target))
    _require_class_range(op, target, -1, input._shape[-1])
    return input, target, *rest


def _require_class_range(op: str, target: Any, minimum: int, classes: int) -> None:
    target = all_examples(target)
    if target.numel() and not is_recorded(target) and not minimum <= int(target.min()) <= int(target.max()) < classes:
        raise RuntimeError(
            f"{op}(): target out of range: expected classes from {minimum} to {classes - 1}, got "
            f"{int(target.min())} to "
            f"{int(target.max())}"
        )


def some_classes(op: str, input: Any, *rest: Any) -> tuple[Any, ...]:
    """The last dimension holds the classes."""
    if not input.ndim:
        raise DimensionError(f"{op}(): expected input of at least one dimension, the classes, got a 0-d tensor")
    return input, *rest


REDUCTIONS = ("none", "mean", "sum")


def reduction_of_flags(size_average: bool | None, reduce: bool | None) -> str:
    """The word that two older flags stand for, each true when left out, with a warning."""
    word = "none" if reduce is False else "sum" if size_average is False else "mean"
    warn_user(f"size_average and reduce args will be deprecated, please use reduction='{word}' instead.")
    return word


def reduction_word(
    op: str, size_average: bool | None, reduce: bool | None, reduction: Any, choices: Sequence[str] = REDUCTIONS
) -> str:
    """The reduction of a loss; the older flags overrule the word."""
    if size_average is not None or reduce is not None:
        return reduction_of_flags(size_average, reduce)
    if string(op, "reduction", reduction) not in choices:
        raise ValueError(
            f"{op}(): {reduction!r} is not a valid value for reduction: expected one of {', '.join(choices)}"
        )
    return str(reduction)


def ctc_loss(
    op: str, log_probs: Any, targets: Any, input_lengths: Sequence[int], target_lengths: Sequence[int], blank: int,
    *rest: Any,
) -> tuple[Any, ...]:  # fmt: skip
    """Log-probabilities (steps, samples, classes) or (steps, classes); labels as rows, or one after another."""
    if log_probs.ndim not in (2, 3):
        raise ShapeError(f"{op}(): expected log_probs of 2 or 3 dimensions, got shape {list(log_probs._shape)}")
    require_index_dtype(op, "targets", targets, (dtypes.int64, dtypes.int32))
    samples = log_probs._shape[1] if log_probs.ndim == 3 else 1
    steps, classes = log_probs._shape[0], log_probs._shape[-1]
    lengths = tuple(map(int, input_lengths)), tuple(map(int, target_lengths))
    for name, value in zip(("input_lengths", "target_lengths"), lengths, strict=True):
        if len(value) != samples:
            raise ShapeError(f"{op}(): {name} must be of size batch_size {samples}, got {len(value)}")
        if any(n < 0 for n in value):
            raise RuntimeError(f"{op}(): Expected {name} to have values of at least 0, but got {min(value)}")
    if max(lengths[0], default=0) > steps:
        raise RuntimeError(f"{op}(): Expected input_lengths to have value at most {steps}, but got {max(lengths[0])}")
    if not 0 <= blank < classes:
        raise RuntimeError(f"{op}(): blank must be in label range [0, {classes}), got {blank}")
    _require_labels(op, targets, lengths[1], classes)
    return log_probs, targets, *lengths, blank, *rest


def ctc_loss_of_tensors(
    op: str, log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, *rest: Any
) -> tuple[Any, ...]:
    """The checks of `ctc_loss` with lengths in tensors of integers instead of lists."""
    lengths = []
    for name, value in (("input_lengths", input_lengths), ("target_lengths", target_lengths)):
        if value._vmap_level is not None:
            raise RuntimeError(
                f"vmap: {op}() needs {name} that all examples share: how far it looks depends on the values"
            )
        require_index_dtype(op, name, value, (dtypes.int64, dtypes.int32))
        lengths.append(value.reshape((-1,)).tolist())
    return ctc_loss(op, log_probs, targets, *lengths, *rest)


def _require_labels(op: str, targets: Any, lengths: Sequence[int], classes: int) -> None:
    longest = max(lengths, default=0)
    if targets.ndim == 2:
        if targets._shape[0] != len(lengths) or targets._shape[1] < longest:
            raise ShapeError(
                f"{op}(): Expected targets of size {len(lengths)} with at least {longest} at dimension 1, but got size "
                f"{list(targets._shape)}"
            )
    elif targets.ndim != 1 or targets._shape[0] != sum(lengths):
        raise ShapeError(
            f"{op}(): Expected targets to have size {sum(lengths)} at dimension 0, but got size {list(targets._shape)}"
        )
    if is_recorded(targets):
        return
    labels = _labels(targets, lengths)
    if labels.size and not 0 <= labels.min() <= labels.max() < classes:
        raise RuntimeError(f"{op}(): expected labels in [0, {classes}), got {labels.min()} to {labels.max()}")


def _labels(targets: Any, lengths: Sequence[int]) -> np.ndarray:
    ndim, targets = targets.ndim, all_examples(targets)
    if ndim == 1:
        return host_array(targets)
    rows = host_array(targets).reshape(prod(targets._shape[:-2]), *targets._shape[-2:])
    return np.concatenate([rows[:, k, :n].reshape(-1) for k, n in enumerate(lengths)] or [rows.reshape(-1)])
