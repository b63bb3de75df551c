"""Dropout of elements and of whole channels, and alpha dropout, which keeps mean and variance."""

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime.dispatch import argument_checks
from ...runtime.errors import warn_user
from ...runtime.ops.creation.random import survivors
from ...runtime.tensor.dtypes import bool_
from ..docstrings import completed_from

ALPHA = 1.7580993408473766  # where selu goes for large negative inputs: minus its scale times its alpha


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeros with probability p, and input / (1 - p) elsewhere; input itself unless training.

    Source: Srivastava, Hinton, Krizhevsky, Sutskever and Salakhutdinov, "Dropout: a simple way to prevent neural
    networks from overfitting" (2014).

    Args:
        input: the tensor x.
        p: the probability of a zero, for each element by itself.
        training: whether to do anything.
        inplace: write the result into input.

    Shape: Any; the output has that of input.

    Raises: ValueError: p outside [0, 1].

    Example:
        >>> sg.nn.functional.dropout(sg.ones(3), p=0.5, training=False)
        tensor([1., 1., 1.])
    """
    _check_probability("dropout", input, p)
    return _dropped(input, p, training, inplace, tuple(input.shape))


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeros in whole channels, each with probability p, and input / (1 - p) in the others; input unless training.

    Args:
        input: signals of several channels.
        p: the probability of a zero channel, for each channel of each sample by itself.
        training: whether to do anything.
        inplace: write the result into input.

    Shape: Input (N, C, L) or (C, L); the output is the same.

    Raises:
        ValueError: p outside [0, 1].
        RuntimeError: an input of another number of dimensions.

    Example:
        >>> sg.nn.functional.dropout1d(sg.ones(2, 2), p=1.0)
        tensor([[0., 0.],
                [0., 0.]])
    """
    _check_probability("dropout1d", input, p)
    if input.ndim not in (2, 3):
        raise RuntimeError(
            f"dropout1d(): Expected 2D or 3D input (channels of one dimension), but received a {input.ndim}D input"
        )
    return _dropped_channels(input, p, training, inplace, input.ndim - 1)


@completed_from(dropout1d)
def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeros in whole channels, each with probability p, and input / (1 - p) in the others; input unless training.

    Shape: Input (N, C, H, W); the output is the same. Three dimensions are taken as (N, C, L), with a warning.

    Raises:
        ValueError: p outside [0, 1].
        RuntimeError: an input of less than two dimensions.

    Source: Tompson, Goroshin, Jain, LeCun and Bregler, "Efficient object localization using convolutional networks"
    (2015).

    Example:
        >>> sg.nn.functional.dropout2d(sg.ones(1, 1, 1, 2), p=0.5, training=False)
        tensor([[[[1., 1.]]]])
    """
    _check_probability("dropout2d", input, p)
    if input.ndim not in (3, 4):
        _warn_of_dimensions("dropout2d", input.ndim, "2 spatial dimensions", "3D or 4D")
    if input.ndim == 3:
        warn_user(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is desired "
            "- input is interpreted as shape (N, C, L), where C is the channel dim. To maintain the 1D channel-wise "
            "dropout behavior, please switch to using dropout1d instead."
        )
    return _dropped_features("dropout2d", input, p, training, inplace)


@completed_from(dropout1d)
def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeros in whole channels, each with probability p, and input / (1 - p) in the others; input unless training.

    Raises: ValueError: p outside [0, 1].

    Example:
        >>> sg.nn.functional.dropout3d(sg.ones(1, 1, 1, 2), p=0.5, training=False)
        tensor([[[[1., 1.]]]])
    """
    _check_probability("dropout3d", input, p)
    if input.ndim not in (4, 5):
        _warn_of_dimensions("dropout3d", input.ndim, "3 spatial dimensions", "4D or 5D")
    if input.ndim == 5:
        return _dropped_channels(input, p, training, inplace, 2)
    return _dropped_channels(input, p, training, inplace, min(input.ndim, 1))


@completed_from(dropout1d)
@completed_from(dropout)
def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """a (x m - 1.7581 (1 - m)) + b with m ~ Bernoulli(1 - p), and a and b such that mean and variance stay.

    Args:
        input: the tensor x, of mean 0 and variance 1.
        p: the probability that an element is dropped.

    Source: Klambauer, Unterthiner, Mayr and Hochreiter, "Self-normalizing neural networks" (2017).

    Example:
        >>> sg.nn.functional.alpha_dropout(sg.ones(3), p=0.5)
        tensor([1., 1., 1.])
    """
    _check_probability("alpha_dropout", input, p)
    return _self_normalised(input, p, training, inplace, tuple(input.shape))


@completed_from(alpha_dropout)
def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Alpha dropout of whole channels: a (x m - 1.7581 (1 - m)) + b with one m ~ Bernoulli(1 - p) per channel.

    Args:
        p: the probability that a channel of a sample is dropped.

    Shape: Input (N, C, *); the output is the same.

    Raises:
        ValueError: p outside [0, 1].
        RuntimeError: an input of less than two dimensions.

    Example:
        >>> sg.nn.functional.feature_alpha_dropout(sg.ones(1, 3), p=0.5)
        tensor([[1., 1., 1.]])
    """
    _check_probability("feature_alpha_dropout", input, p)
    if training and p and input.ndim < 2:
        raise RuntimeError("feature_alpha_dropout(): Feature dropout requires at least 2 dimensions in the input")
    return _self_normalised(input, p, training, inplace, (*input.shape[:2], *[1] * (input.ndim - 2)))


def _check_probability(op: str, input: Tensor, p: float) -> None:
    argument_checks.tensor(op, "input", input)
    if not 0 <= argument_checks.floating(op, "p", p) <= 1:
        raise ValueError(f"{op}(): dropout probability has to be between 0 and 1, but got {p}")


def _warn_of_dimensions(op: str, ndim: int, spatial: str, expected: str) -> None:
    warn_user(
        f"{op}: Received a {ndim}-D input to {op}, which is deprecated; please use dropout instead. Note that {op} "
        f"exists to provide channel-wise dropout on {expected} inputs, of {spatial}."
    )


def _dropped_features(op: str, input: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
    if training and p and input.numel() and input.ndim < 2:
        raise RuntimeError(f"{op}(): Feature dropout requires at least 2 dimensions in the input")
    return _dropped_channels(input, p, training, inplace, 2)


def _dropped_channels(input: Tensor, p: float, training: bool, inplace: bool, numbered: int) -> Tensor:
    return _dropped(input, p, training, inplace, (*input.shape[:numbered], *[1] * (input.ndim - numbered)))


def _dropped(input: Tensor, p: float, training: bool, inplace: bool, shape: tuple[int, ...]) -> Tensor:
    """One random number for each element of `shape`. The mask selects: a product with 0 would leave nan of inf."""
    if not training or not p or not input.numel():
        return input
    scale = 0.0 if p == 1 else 1 / (1 - p)
    return _selected(input, _mask(shape, p, input), scale, inplace)


def _mask(shape: tuple[int, ...], p: float, input: Tensor) -> Tensor:
    return input.new_zeros(shape, dtype=bool_) if p == 1 else survivors(*shape, p=p, device=input.device)


def _selected(input: Tensor, mask: Tensor, scale: float, inplace: bool) -> Tensor:
    if mask.shape == input.shape:
        return ops.masked_scale_(input, mask, scale) if inplace else ops.masked_scale(input, mask, scale)
    noise = mask.to(input.dtype) * scale
    return ops.noise_scale_(input, noise) if inplace else ops.noise_scale(input, noise)


def _self_normalised(input: Tensor, p: float, training: bool, inplace: bool, shape: tuple[int, ...]) -> Tensor:
    """Dropout to -alpha, scaled and moved; one random number for each element of `shape`."""
    if not training or not p or not input.numel():
        return input
    mask = _mask(shape, p, input)
    scale = 0.0 if p == 1 else ((ALPHA * ALPHA * p + 1) * (1 - p)) ** -0.5
    moved = (mask.to(input.dtype) - 1 + p) * (ALPHA * scale)
    result = _selected(input, mask, scale, inplace)
    return result.add_(moved) if inplace else result + moved
