"""Reductions, running sums and softmax, from a thousand numbers to 16 million. Forward alone unless said."""

from .making import backward, leaves, plain
from .registering import sized

SOME = 1_000, 1_000_000, 16_000_000
LARGE = 1_000_000, 16_000_000
ROW = 1_000


@sized("reduction", SOME, 1)
def total(torch, size):
    """The sum of all."""
    (a,) = plain(torch, (size,))
    return lambda: a.sum()


@sized("reduction", LARGE, 1)
def mean(torch, size):
    """The mean of all."""
    (a,) = plain(torch, (size,))
    return lambda: a.mean()


@sized("reduction", SOME, 1)
def largest(torch, size):
    """The largest of all."""
    (a,) = plain(torch, (size,))
    return lambda: a.max()


@sized("reduction", LARGE, 1)
def argmax(torch, size):
    """The place of the largest of all."""
    (a,) = plain(torch, (size,))
    return lambda: a.argmax()


@sized("reduction", LARGE, 0)
def argmax_rows(torch, size):
    """The places of the largest of rows of a thousand."""
    (a,) = plain(torch, (size // ROW, ROW))
    return lambda: a.argmax(1)


@sized("reduction", LARGE, 1)
def std(torch, size):
    """The standard deviation of all."""
    (a,) = plain(torch, (size,))
    return lambda: a.std()


@sized("reduction", LARGE, 1)
def norm(torch, size):
    """The Euclidean norm of all."""
    (a,) = plain(torch, (size,))
    return lambda: torch.linalg.vector_norm(a)


@sized("reduction", LARGE, 0)
def logsumexp(torch, size):
    """log(sum(exp)) of rows of a thousand."""
    (a,) = plain(torch, (size // ROW, ROW))
    return lambda: torch.logsumexp(a, 1)


@sized("reduction", LARGE, 0)
def cumsum(torch, size):
    """Running sums of all."""
    (a,) = plain(torch, (size,))
    return lambda: a.cumsum(0)


@sized("reduction", SOME, 0)
def softmax_of(torch, size):
    """softmax of rows of a thousand."""
    (a,) = plain(torch, (size // ROW, ROW))
    return lambda: torch.softmax(a, 1)


@sized("reduction", LARGE, 0)
def log_softmax_backward(torch, size):
    """log_softmax of rows of a thousand, forward and backward."""
    (a,) = leaves(torch, (size // ROW, ROW))
    return backward([a], lambda: torch.log_softmax(a, 1)[:, 0].sum())


@sized("reduction", (1_000_000,), 0)
def product(torch, size):
    """The products of rows of a thousand."""
    (a,) = plain(torch, (size // ROW, ROW))
    return lambda: a.prod(1)


@sized("reduction", (1_000_000,), 0)
def any_and_all(torch, size):
    """Whether any, and whether all of a mask are true."""
    (a,) = plain(torch, (size,))
    mask = a < 100
    return lambda: (mask.any(), mask.all())
