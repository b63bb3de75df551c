"""Large tensors, bound by memory: element-wise ops, reductions, copies and sorting. Forward alone unless said."""

from .making import backward, giving, integers, leaves, plain, positive
from .registering import costing, workload

memory = workload("memory")
LARGE = 2_000_000
SIDE = 1500


@memory
@costing(moved=12 * LARGE)
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
@costing(moved=8 * LARGE)
def exp_large(torch):
    """exp(a)."""
    (a,) = plain(torch, (LARGE,))
    return lambda: torch.exp(a)


@memory
@costing(moved=8 * LARGE)
def log_large(torch):
    """log(a)."""
    a = positive(torch, LARGE)
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
@costing(moved=8 * SIDE**2)
def row_added(torch):
    """A matrix plus a row."""
    a, b = plain(torch, (SIDE, SIDE), (SIDE,))
    return lambda: a + b


@memory
@costing(moved=8 * LARGE)
def short_rows_added(torch):
    """Many rows of ten numbers plus a row."""
    a, b = plain(torch, (LARGE // 10, 10), (10,))
    return lambda: a + b


@memory
@costing(moved=8 * SIDE**2)
def column_scaled(torch):
    """A matrix times a column."""
    a, b = plain(torch, (SIDE, SIDE), (SIDE, 1))
    return lambda: a * b


@memory
@costing(moved=12 * SIDE**2)
def transposed_sum(torch):
    """a + b^T."""
    a, b = plain(torch, (SIDE, SIDE), (SIDE, SIDE))
    return lambda: a + b.t()


@memory
@costing(moved=8 * SIDE**2)
def transposed_copy(torch):
    """A contiguous copy of a transposed matrix."""
    (a,) = plain(torch, (SIDE, SIDE))
    return lambda: a.t().contiguous()


@memory
@costing(moved=4 * LARGE)
def sum_all(torch):
    """The sum of all elements."""
    (a,) = plain(torch, (LARGE,))
    return lambda: a.sum()


@memory
@costing(moved=4 * SIDE**2)
def sum_rows(torch):
    """Sums along the last dimension."""
    (a,) = plain(torch, (SIDE, SIDE))
    return lambda: a.sum(1)


@memory
@costing(moved=4 * SIDE**2)
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
@costing(moved=8 * SIDE**2)
def cat_halves(torch):
    """Two matrices side by side."""
    a, b = plain(torch, (SIDE, SIDE // 2), (SIDE, SIDE // 2))
    return lambda: torch.cat([a, b], 1)


@memory
def rows_gathered(torch):
    """Half the rows of a matrix, in random order."""
    (a,) = plain(torch, (SIDE, SIDE))
    index = integers(torch, SIDE, SIDE // 2)
    return lambda: a.index_select(0, index)


@memory
def rows_added(torch):
    """Rows added to those of a matrix at random places."""
    a, b = plain(torch, (SIDE, SIDE), (SIDE // 2, SIDE))
    index = integers(torch, SIDE, SIDE // 2)
    return lambda: a.index_add(0, index, b)


@memory
def sort_large(torch):
    """Half a million numbers in order."""
    (a,) = plain(torch, (LARGE // 4,))
    return giving(lambda: torch.sort(a), lambda: [torch.sort(a)[0]])  # equal numbers may come in any order


@memory
def topk_rows(torch):
    """The ten largest of each row."""
    (a,) = plain(torch, (SIDE, SIDE))
    return lambda: torch.topk(a, 10)


@memory
@costing(moved=12 * LARGE)
def masked(torch):
    """where(a > 0, a, b)."""
    a, b = plain(torch, (LARGE,), (LARGE,))
    return lambda: torch.where(a > 0, a, b)


@memory
@costing(moved=8 * LARGE)
def cloned(torch):
    """A copy."""
    (a,) = plain(torch, (LARGE,))
    return lambda: a.clone()


@memory
@costing(moved=6 * LARGE)
def cast_to_half(torch):
    """float32 to bfloat16."""
    (a,) = plain(torch, (LARGE,))
    return lambda: a.to(torch.bfloat16)


@memory
@costing(moved=4 * LARGE)
def zeros_made(torch):
    """A new tensor of zeros."""
    return lambda: torch.zeros(LARGE)


@memory
@costing(moved=12 * LARGE)
def axpy_in_place(torch):
    """a += 0.5 b."""
    a, b = plain(torch, (LARGE,), (LARGE,))
    return lambda: a.add_(b, alpha=1e-3)


@memory
def permuted_copy(torch):
    """Channels of pictures from first to last."""
    (a,) = plain(torch, (8, 32, 64, 64))
    return lambda: a.permute(0, 2, 3, 1).contiguous()


@memory
@costing(moved=4 * SIDE**2)
def outer_product(torch):
    """A column times a row."""
    a, b = plain(torch, (SIDE, 1), (1, SIDE))
    return lambda: a * b
