"""Large tensors, bound by memory: element-wise ops, reductions, copies and sorting. Forward alone unless said."""

from .registering import backward, leaves, plain, workload

memory = workload("memory")
LARGE = 2_000_000
SIDE = 1500


@memory
def add_large(torch):
    """a + b."""
    a, b = plain(torch, (LARGE,), (LARGE,))
    return lambda: a + b


@memory
def chain_large(torch):
    """tanh(a * b + c), forward and backward."""
    a, b, c = leaves(torch, (LARGE // 4,), (LARGE // 4,), (LARGE // 4,))
    return backward([a, b, c], lambda: torch.tanh(a * b + c).sum())


@memory
def exp_large(torch):
    """exp(a)."""
    (a,) = plain(torch, (LARGE,))
    return lambda: torch.exp(a)


@memory
def log_large(torch):
    """log(a)."""
    a = torch.rand(LARGE) + 0.1
    return lambda: torch.log(a)


@memory
def sigmoid_large(torch):
    """sigmoid(a), forward and backward."""
    (a,) = leaves(torch, (LARGE // 2,))
    return backward([a], lambda: torch.sigmoid(a).sum())


@memory
def gelu_large(torch):
    """gelu(a), forward and backward."""
    (a,) = leaves(torch, (LARGE // 4,))
    return backward([a], lambda: torch.nn.functional.gelu(a).sum())


@memory
def row_added(torch):
    """A matrix plus a row."""
    a, b = plain(torch, (SIDE, SIDE), (SIDE,))
    return lambda: a + b


@memory
def column_scaled(torch):
    """A matrix times a column."""
    a, b = plain(torch, (SIDE, SIDE), (SIDE, 1))
    return lambda: a * b


@memory
def transposed_sum(torch):
    """a + b^T."""
    a, b = plain(torch, (SIDE, SIDE), (SIDE, SIDE))
    return lambda: a + b.t()


@memory
def transposed_copy(torch):
    """A contiguous copy of a transposed matrix."""
    (a,) = plain(torch, (SIDE, SIDE))
    return lambda: a.t().contiguous()


@memory
def sum_all(torch):
    """The sum of all elements."""
    (a,) = plain(torch, (LARGE,))
    return lambda: a.sum()


@memory
def sum_rows(torch):
    """Sums along the last dimension."""
    (a,) = plain(torch, (SIDE, SIDE))
    return lambda: a.sum(1)


@memory
def sum_columns(torch):
    """Sums along the first dimension."""
    (a,) = plain(torch, (SIDE, SIDE))
    return lambda: a.sum(0)


@memory
def max_rows(torch):
    """Maxima along the last dimension, with their places."""
    (a,) = plain(torch, (SIDE, SIDE))
    return lambda: a.max(1)


@memory
def variance_columns(torch):
    """Variances along the first dimension."""
    (a,) = plain(torch, (SIDE, SIDE))
    return lambda: a.var(0)


@memory
def softmax_rows(torch):
    """softmax along the last dimension."""
    (a,) = plain(torch, (SIDE, SIDE))
    return lambda: torch.softmax(a, 1)


@memory
def cumsum_rows(torch):
    """Running sums along the last dimension."""
    (a,) = plain(torch, (SIDE, SIDE))
    return lambda: a.cumsum(1)


@memory
def cat_halves(torch):
    """Two matrices side by side."""
    a, b = plain(torch, (SIDE, SIDE // 2), (SIDE, SIDE // 2))
    return lambda: torch.cat([a, b], 1)


@memory
def rows_gathered(torch):
    """Half the rows of a matrix, in random order."""
    (a,) = plain(torch, (SIDE, SIDE))
    index = torch.randint(0, SIDE, (SIDE // 2,))
    return lambda: a.index_select(0, index)


@memory
def rows_added(torch):
    """Rows added to those of a matrix at random places."""
    a, b = plain(torch, (SIDE, SIDE), (SIDE // 2, SIDE))
    index = torch.randint(0, SIDE, (SIDE // 2,))
    return lambda: a.index_add(0, index, b)


@memory
def sort_large(torch):
    """Half a million numbers in order."""
    (a,) = plain(torch, (LARGE // 4,))
    return lambda: torch.sort(a)


@memory
def topk_rows(torch):
    """The ten largest of each row."""
    (a,) = plain(torch, (SIDE, SIDE))
    return lambda: torch.topk(a, 10)


@memory
def masked(torch):
    """where(a > 0, a, b)."""
    a, b = plain(torch, (LARGE,), (LARGE,))
    return lambda: torch.where(a > 0, a, b)
