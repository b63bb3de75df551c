"""Softmax, log-softmax and their gradients as row programs."""

from ...kernels.row_language import Row, exp, log, max, sum


def softmax(x: Row) -> Row:
    """exp(x) / sum(exp(x))."""
    grown = exp(x - max(x))
    return grown * (1 / sum(grown))


def log_softmax(x: Row) -> Row:
    """x - log(sum(exp(x)))."""
    top = max(x)
    return (x - top) - log(sum(exp(x - top)))


def softmax_backward(grad: Row, output: Row) -> Row:
    """output (grad - sum(grad output))."""
    return output * (grad - sum(grad * output))


def log_softmax_backward(grad: Row, output: Row) -> Row:
    """grad - exp(output) sum(grad)."""
    return grad - exp(output) * sum(grad)
