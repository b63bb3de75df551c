"""Tensors that lie apart in memory or in short rows, and ops that bring elements elsewhere; nothing recorded."""

from .making import plain
from .registering import workload

layout = workload("layout")


@layout
def points_scaled(torch):
    """Three thousand points of ten coordinates, each times a number of its own."""
    a, b = plain(torch, (3000, 10), (3000, 1))
    return lambda: a * b


@layout
def neighbours_subtracted(torch):
    """The differences of neighbouring columns, of short rows."""
    (a,) = plain(torch, (3000, 10))
    return lambda: a[:, 1:] - a[:, :-1]


@layout
def columns_summed(torch):
    """The sum of all columns but the first."""
    (a,) = plain(torch, (300, 1000))
    return lambda: a[:, 1:].sum()


@layout
def rows_of_columns_summed(torch):
    """The sum of each row of a transposed matrix."""
    (a,) = plain(torch, (300, 1000))
    return lambda: a.t().sum(1)


@layout
def transposed_added(torch):
    """A matrix and the transpose of another."""
    a, b = plain(torch, (200, 200), (200, 200))
    return lambda: a + b.t()


@layout
def heads_added(torch):
    """Heads of attention that lie side by side, and others that lie one after the other."""
    a, b = plain(torch, (4, 8, 50, 50), (4, 50, 8, 50))
    return lambda: a + b.permute(0, 2, 1, 3)


@layout
def channels_last(torch):
    """Images with their channels last, made from those with channels first."""
    (a,) = plain(torch, (8, 3, 64, 64))
    return lambda: a.permute(0, 2, 3, 1).contiguous()


@layout
def every_second_column(torch):
    """Twice every second column."""
    (a,) = plain(torch, (400, 400))
    return lambda: a[:, ::2] * 2


@layout
def every_second_column_in_place(torch):
    """One more in every second column."""
    (a,) = plain(torch, (400, 400))
    return lambda: a[:, ::2].add_(0.001)


@layout
def mirrored(torch):
    """A matrix mirrored along both of its dimensions."""
    (a,) = plain(torch, (300, 1000))
    return lambda: a.flip((0, 1))


@layout
def rolled(torch):
    """Columns of a matrix moved on by one, the last to the front."""
    (a,) = plain(torch, (300, 1000))
    return lambda: a.roll(1, 1)


@layout
def padded(torch):
    """Short rows between zeros."""
    (a,) = plain(torch, (3000, 10))
    return lambda: torch.nn.functional.pad(a, (1, 1))


@layout
def counted(torch):
    """The whole numbers below 300,000."""
    return lambda: torch.arange(300_000)
