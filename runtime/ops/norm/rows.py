"""Norms as row programs: of a row, or of a channel that a row is made of."""

from ...kernels.row_language import Each, Row, Shared, mean, sqrt, sum


def standardize(x: Row, weight_: Shared, bias_: Shared, eps: float) -> tuple[Row, Each, Each]:
    """(x - average) / sqrt(variance + eps) weight + bias, the mean and the variance."""
    average = mean(x)
    away = x - average
    variance = mean(away * away)
    scale = 1 / sqrt(variance + eps)
    result = away * scale * weight_ + bias_
    return result, average, variance


def standardize_plain(x: Row, eps: float) -> tuple[Row, Each, Each]:
    """(x - average) / sqrt(variance + eps), the mean and the variance."""
    average = mean(x)
    away = x - average
    variance = mean(away * away)
    scale = 1 / sqrt(variance + eps)
    result = away * scale
    return result, average, variance


def standardize_channel(x: Row, weight_row: Each, bias_row: Each, eps: float) -> tuple[Row, Each, Each]:
    """(x - average) / sqrt(variance + eps) weight + bias with one weight and one shift for all of a row."""
    average = mean(x)
    away = x - average
    variance = mean(away * away)
    scale = weight_row / sqrt(variance + eps)
    result = away * scale + bias_row
    return result, average, variance


def standardize_backward(grad: Row, x: Row, weight_: Shared, average_row: Each, variance_row: Each, eps: float) -> Row:
    """The gradient of x."""
    scale = 1 / sqrt(variance_row + eps)
    unit = (x - average_row) * scale
    weighted = grad * weight_
    return (weighted - mean(weighted) - unit * mean(weighted * unit)) * scale


def standardize_plain_backward(grad: Row, x: Row, average_row: Each, variance_row: Each, eps: float) -> Row:
    """The gradient of x without weights."""
    scale = 1 / sqrt(variance_row + eps)
    unit = (x - average_row) * scale
    return (grad - mean(grad) - unit * mean(grad * unit)) * scale


def standardize_channel_backward(
    grad: Row, x: Row, weight_row: Each, average_row: Each, variance_row: Each, eps: float
) -> tuple[Row, Each, Each]:
    """The gradients of x, of the row's weight and of its shift."""
    scale = 1 / sqrt(variance_row + eps)
    unit = (x - average_row) * scale
    shift = sum(grad)
    share = sum(grad * unit)
    result = (grad - mean(grad) - unit * mean(grad * unit)) * (scale * weight_row)
    return result, share, shift


def weight_sums(grad: Row, x: Row, average_: Shared, variance_: Shared, eps: float) -> tuple[Each, Each]:
    """The gradients of a weight and of a shift: a row is what one column of the array has, a row of the norm each."""
    share = sum(grad * ((x - average_) * (1 / sqrt(variance_ + eps))))
    shift = sum(grad)
    return share, shift


def normalize_by(x: Row, average_row: Each, variance_row: Each, weight_row: Each, bias_row: Each, eps: float) -> Row:
    """(x - average) / sqrt(variance + eps) weight + bias, all given."""
    return (x - average_row) * (weight_row / sqrt(variance_row + eps)) + bias_row
