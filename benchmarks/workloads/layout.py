"""Tensors that lie apart in memory or in short rows, and ops that bring elements elsewhere; nothing recorded."""

from .making import integers, plain
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


@layout
def parts_added(torch):
    """The first fifty of eighty columns of two matrices."""
    a, b = plain(torch, (1600, 80), (1600, 80))
    return lambda: a[:, :50] + b[:, :50]


@layout
def part_in_place(torch):
    """One more in the first fifty of eighty columns."""
    (a,) = plain(torch, (1600, 80))
    return lambda: a[:, :50].add_(0.001)


@layout
def part_as_bfloat16(torch):
    """The first fifty of eighty columns as bfloat16."""
    (a,) = plain(torch, (1600, 80))
    return lambda: a[:, :50].to(torch.bfloat16)


@layout
def cat_parts(torch):
    """Parts of two matrices side by side."""
    a, b = plain(torch, (1600, 80), (1600, 80))
    return lambda: torch.cat([a[:, :50], b[:, 30:]], 1)


@layout
def layer_of_part(torch):
    """A linear layer on half of the columns."""
    a, b = plain(torch, (256, 256), (128, 128))
    return lambda: torch.nn.functional.linear(a[:, 128:], b)


@layout
def scores_of_heads(torch):
    """Queries by keys, which lie beside each other and the values in one result of a layer."""
    (a,) = plain(torch, (4, 64, 3 * 128))

    def step():
        q, k, _ = (part.view(4, 64, 8, 16).transpose(1, 2) for part in a.chunk(3, -1))
        return q @ k.transpose(-2, -1)

    return step


@layout
def pairs_rotated(torch):
    """Rotary positions of neighbouring pairs."""
    a, cos, sin = plain(torch, (4, 8, 64, 32), (64, 16), (64, 16))

    def step():
        x, y = a[..., ::2], a[..., 1::2]
        return torch.stack([x * cos - y * sin, x * sin + y * cos], -1).flatten(-2)

    return step


@layout
def columns_chosen(torch):
    """Some columns of a part of a matrix, by a tensor of indices."""
    (a,) = plain(torch, (300, 400))
    index = integers(torch, 300, 100)
    return lambda: a[:, :300][:, index]


@layout
def coordinates_stacked(torch):
    """Two coordinates of each of 65536 points, side by side."""
    x, y = plain(torch, (65536,), (65536,))
    return lambda: torch.stack([x, y], -1)
