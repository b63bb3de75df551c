"""Softmax, log-softmax and their gradients as row programs."""

from ...kernels.row_language import Row, exp, isinf, log, max, sum, where


def softmax(x: Row) -> Row:
    """exp(x) / sum(exp(x)); beside inf its limit."""
    top = max(x)
    grown = exp(where(isinf(x), where(x > 0, 0.0, x), x - top) if isinf(top) else x - top)
    return grown * (1 / sum(grown))


def log_softmax(x: Row) -> Row:
    """x - log(sum(exp(x))); beside inf its limit."""
    top = max(x)
    shifted = where(isinf(x), where(x > 0, 0.0, x), x - top) if isinf(top) else x - top
    return shifted - log(sum(exp(shifted)))


def softmax_backward(grad: Row, output: Row) -> Row:
    """output (grad - sum(grad output))."""
    return output * (grad - sum(grad * output))


def log_softmax_backward(grad: Row, output: Row) -> Row:
    """grad - exp(output) sum(grad)."""
    return grad - exp(output) * sum(grad)
