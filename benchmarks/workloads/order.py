"""Sorting, ranks, sets and counts."""

from .making import backward, integers, leaves, plain
from .registering import workload

order = workload("order")


@order
def sort_rows(torch):
    """A thousand rows of a hundred numbers, sorted."""
    (a,) = plain(torch, (1000, 100))
    return lambda: a.sort(1)


@order
def kth_of_rows(torch):
    """The tenth of each of a thousand rows of a hundred."""
    (a,) = plain(torch, (1000, 100))
    return lambda: a.kthvalue(10)


@order
def cummax_cummin(torch):
    """The greatest up to each of a hundred numbers, in a thousand rows."""
    (a,) = plain(torch, (1000, 100))
    return lambda: a.cummax(1)


@order
def sort_backward(torch):
    """A thousand rows of a hundred numbers, sorted, forward and backward."""
    (a,) = leaves(torch, (1000, 100))
    return backward([a], lambda: a.sort(1)[0][:, :10].sum())


@order
def argsort_small(torch):
    """The order of ten numbers."""
    (a,) = plain(torch, (10,))
    return lambda: a.argsort()


@order
def topk_flat(torch):
    """The hundred largest of a million."""
    (a,) = plain(torch, (1_000_000,))
    return lambda: a.topk(100)


@order
def median(torch):
    """The medians of a thousand rows of a hundred."""
    (a,) = plain(torch, (1000, 100))
    return lambda: a.median(1)[0]


@order
def unique(torch):
    """The values of a hundred thousand integers below a thousand, and how often each occurs."""
    a = integers(torch, 1000, 100_000)
    return lambda: torch.unique(a, return_counts=True)


@order
def bincount(torch):
    """How often each of a thousand integers occurs among a hundred thousand."""
    a = integers(torch, 1000, 100_000)
    return lambda: torch.bincount(a, minlength=1000)


@order
def searchsorted(torch):
    """The places of a hundred thousand numbers among a thousand."""
    a, b = plain(torch, (1000,), (100_000,))
    edges = a.sort()[0]
    return lambda: torch.searchsorted(edges, b)


@order
def bucketize(torch):
    """The places of six thousand numbers among a hundred."""
    a, b = plain(torch, (100,), (64, 100))
    edges = a.sort()[0]
    return lambda: torch.bucketize(b, edges)


@order
def topk_of_classes(torch):
    """The five likeliest of a thousand classes, for 64 samples."""
    (a,) = plain(torch, (64, 1000))
    return lambda: a.topk(5)


@order
def labels_sorted(torch):
    """A thousand labels of int64, sorted."""
    labels = integers(torch, 100, 1000)
    return lambda: labels.sort(stable=True)
