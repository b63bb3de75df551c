"""Reading and writing by index and by mask. Forward alone unless said."""

from .making import backward, integers, leaves, plain
from .registering import workload

indexing = workload("indexing")
ROWS, COLUMNS = 2000, 256


def table_and_rows(torch):
    """A matrix, and as many numbers of rows as it has rows."""
    return plain(torch, (ROWS, COLUMNS))[0], integers(torch, ROWS, ROWS)


@indexing
def gather(torch):
    """One element of each place of a row, by an index of the same shape."""
    (a,) = plain(torch, (ROWS, COLUMNS))
    index = integers(torch, COLUMNS, ROWS, COLUMNS)
    return lambda: a.gather(1, index)


@indexing
def gather_backward(torch):
    """gather of one number a row, forward and backward."""
    (a,) = leaves(torch, (ROWS, COLUMNS))
    index = integers(torch, COLUMNS, ROWS, 1)
    return backward([a], lambda: a.gather(1, index).sum())


@indexing
def index_select_columns(torch):
    """Half the columns, in random order."""
    (a,) = plain(torch, (ROWS, COLUMNS))
    index = integers(torch, COLUMNS, COLUMNS // 2)
    return lambda: a.index_select(1, index)


@indexing
def index_select_backward(torch):
    """Rows by number, some of them several times, forward and backward."""
    (a,) = leaves(torch, (ROWS, COLUMNS))
    index = integers(torch, ROWS, ROWS)
    return backward([a], lambda: a.index_select(0, index).sum())


@indexing
def rows_got(torch):
    """a[index]."""
    a, index = table_and_rows(torch)
    return lambda: a[index]


@indexing
def rows_got_backward(torch):
    """a[index], forward and backward."""
    (a,) = leaves(torch, (ROWS, COLUMNS))
    index = integers(torch, ROWS, ROWS)
    return backward([a], lambda: a[index].sum())


@indexing
def rows_set(torch):
    """a[index] = b."""
    a, _ = table_and_rows(torch)
    index = torch.arange(0, ROWS, 2)
    (b,) = plain(torch, (ROWS // 2, COLUMNS))

    def step():
        a[index] = b
        return a

    return step


@indexing
def elements_got(torch):
    """a[rows, columns]."""
    (a,) = plain(torch, (ROWS, COLUMNS))
    rows, columns = integers(torch, ROWS, 100_000), integers(torch, COLUMNS, 100_000)
    return lambda: a[rows, columns]


@indexing
def elements_got_small(torch):
    """a[rows, columns] of ten elements."""
    (a,) = plain(torch, (32, 32))
    rows, columns = integers(torch, 32, 10), integers(torch, 32, 10)
    return lambda: a[rows, columns]


@indexing
def elements_added(torch):
    """a.index_put_((rows, columns), b, accumulate=True)."""
    a, (b,) = torch.zeros(ROWS, COLUMNS), plain(torch, (20_000,))
    rows, columns = integers(torch, ROWS, 20_000), integers(torch, COLUMNS, 20_000)

    def step():
        return a.zero_().index_put_((rows, columns), b, accumulate=True)

    return step


@indexing
def slice_set(torch):
    """a[:, ::2] = b."""
    a, b = plain(torch, (ROWS, COLUMNS), (ROWS, COLUMNS // 2))

    def step():
        a[:, ::2] = b
        return a

    return step


@indexing
def mask_got(torch):
    """a[a > 0]."""
    (a,) = plain(torch, (ROWS, COLUMNS))
    return lambda: a[a > 0]


@indexing
def mask_got_backward(torch):
    """a[mask], forward and backward."""
    (a,) = leaves(torch, (ROWS, COLUMNS))
    mask = plain(torch, (ROWS, COLUMNS))[0] > 0
    return backward([a], lambda: a[mask].sum())


@indexing
def mask_set(torch):
    """a[mask] = 0."""
    (a,) = plain(torch, (ROWS, COLUMNS))
    mask = a > 0

    def step():
        a[mask] = 0.0
        return a

    return step


@indexing
def masked_fill(torch):
    """a.masked_fill(mask, -inf)."""
    (a,) = plain(torch, (ROWS, COLUMNS))
    mask = a > 0
    return lambda: a.masked_fill(mask, float("-inf"))


@indexing
def masked_fill_backward(torch):
    """a.masked_fill(mask, 0), forward and backward."""
    (a,) = leaves(torch, (ROWS, COLUMNS))
    mask = plain(torch, (ROWS, COLUMNS))[0] > 0
    return backward([a], lambda: a.masked_fill(mask, 0.0).sum())


@indexing
def scatter_add(torch):
    """Numbers added at places of a row, by an index of the same shape."""
    a, (b,) = torch.zeros(ROWS, COLUMNS), plain(torch, (ROWS, COLUMNS))
    index = integers(torch, COLUMNS, ROWS, COLUMNS)
    return lambda: a.scatter_add(1, index, b)


@indexing
def one_hot(torch):
    """Ones at classes: scatter_ of a number."""
    index = integers(torch, COLUMNS, ROWS, 1)
    return lambda: torch.zeros(ROWS, COLUMNS).scatter_(1, index, 1.0)


@indexing
def nonzero(torch):
    """The places of positive elements."""
    (a,) = plain(torch, (ROWS, COLUMNS))
    mask = a > 0
    return lambda: mask.nonzero()


@indexing
def embedding_bag(torch):
    """Means of eight rows of a table of 10000 x 64, 256 times, forward and backward."""
    (table,) = leaves(torch, (10_000, 64))
    index = integers(torch, 10_000, 256, 8)
    return backward([table], lambda: torch.nn.functional.embedding_bag(index, table, mode="mean").sum())


@indexing
def lower_triangle(torch):
    """tril of a matrix."""
    (a,) = plain(torch, (ROWS // 2, ROWS // 2))
    return lambda: a.tril()


@indexing
def rows_scattered(torch):
    """Rows added at numbers of rows that are expanded to all columns, as sums over the edges of a graph are."""
    (a,), index = plain(torch, (ROWS, COLUMNS)), integers(torch, ROWS, ROWS)
    return lambda: torch.zeros(ROWS, COLUMNS).scatter_add(0, index[:, None].expand(ROWS, COLUMNS), a)


@indexing
def one_of_each_row(torch):
    """The number at one place of each row."""
    (a,) = plain(torch, (ROWS, COLUMNS))
    index = integers(torch, COLUMNS, ROWS, 1)
    return lambda: a.gather(1, index)


@indexing
def labels_ignored(torch):
    """Labels of int64 set to -100 by a mask, and some by index."""
    labels, index = integers(torch, 100, 64, 32), integers(torch, 64, 8)
    mask = labels < 10

    def step():
        labels[mask] = -100
        labels[index] = -100
        return labels

    return step


@indexing
def chosen_of_broadcast(torch):
    """where of a mask, a matrix and a row, of few numbers."""
    a, row = plain(torch, (16, 32), (32,))
    mask = plain(torch, (16, 1))[0] > 0
    return lambda: torch.where(mask, a, row)


@indexing
def bags_by_offsets(torch):
    """Means of rows of a table of 10000 x 64 in 256 bags that begin at offsets, forward and backward."""
    (table,) = leaves(torch, (10_000, 64))
    index, offsets = integers(torch, 10_000, 2048), torch.arange(0, 2048, 8)
    return backward([table], lambda: torch.nn.functional.embedding_bag(index, table, offsets).sum())


@indexing
def largest_of_neighbours(torch):
    """scatter_reduce: the largest rows of those that belong together, as graph networks pool."""
    (a,), index = plain(torch, (ROWS, COLUMNS)), integers(torch, ROWS // 8, ROWS)
    start, positions = torch.zeros(ROWS // 8, COLUMNS), index[:, None].expand(ROWS, COLUMNS)
    return lambda: start.scatter_reduce(0, positions, a, "amax", include_self=False)


@indexing
def written_by_index(torch):
    """index_fill, index_copy and masked_scatter of a small matrix."""
    a, b = plain(torch, (16, 32), (4, 32))
    index, mask = integers(torch, 16, 4), plain(torch, (16, 32))[0] > 0
    return lambda: a.index_fill(0, index, 2.0).index_copy(0, index, b).masked_scatter(mask, a)
