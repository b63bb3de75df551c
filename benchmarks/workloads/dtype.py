"""float64, bfloat16, integers and complex numbers where float32 is timed elsewhere."""

from functools import partial

from .making import backward, integers, leaves, plain, through
from .registering import COSTS, GROUPS, Cost

DTYPES = {"float64": 8, "bfloat16": 2}
SIZE = 1_000_000


def in_dtypes(moved: int = 0, dtypes=tuple(DTYPES)):
    """Register a function of the library and a dtype for each dtype; `moved` arrays of SIZE elements are touched."""

    def register(make):
        for dtype in dtypes:
            name = f"{make.__name__}_{dtype}"
            GROUPS["dtype"][name] = partial(make, dtype=dtype)
            if moved:
                COSTS[name] = Cost(moved=moved * SIZE * DTYPES[dtype])
        return make

    return register


@in_dtypes(3)
def add(torch, dtype):
    """a + b, a million."""
    a, b = plain(torch, (SIZE,), (SIZE,), dtype=dtype)
    return lambda: a + b


@in_dtypes(2)
def exp(torch, dtype):
    """exp(a), a million."""
    (a,) = plain(torch, (SIZE,), dtype=dtype)
    return lambda: torch.exp(a)


@in_dtypes(2)
def gelu(torch, dtype):
    """gelu(a), a million."""
    (a,) = plain(torch, (SIZE,), dtype=dtype)
    return lambda: torch.nn.functional.gelu(a)


@in_dtypes(2)
def square(torch, dtype):
    """a ** 2, a million."""
    (a,) = plain(torch, (SIZE,), dtype=dtype)
    return lambda: a**2


@in_dtypes(1)
def total(torch, dtype):
    """The sum of a million."""
    (a,) = plain(torch, (SIZE,), dtype=dtype)
    return lambda: a.sum()


@in_dtypes()
def softmax_rows(torch, dtype):
    """softmax of a thousand rows of a thousand."""
    (a,) = plain(torch, (1000, 1000), dtype=dtype)
    return lambda: torch.softmax(a, 1)


@in_dtypes()
def layer_norm(torch, dtype):
    """Rows of 512, 1024 of them, forward and backward."""
    return through(torch, torch.nn.LayerNorm(512).to(getattr(torch, dtype)), (1024, 512), dtype=dtype)


@in_dtypes()
def matmul(torch, dtype):
    """A 256 x 256 matrix product."""
    a, b = plain(torch, (256, 256), (256, 256), dtype=dtype)
    return lambda: a @ b


@in_dtypes()
def linear(torch, dtype):
    """256 to 256, batch 64, forward and backward."""
    return through(torch, torch.nn.Linear(256, 256).to(getattr(torch, dtype)), (64, 256), dtype=dtype)


@in_dtypes(dtypes=("float64",))
def conv2d(torch, dtype):
    """16 to 32 channels, 3 x 3, pictures of 28 x 28, batch 4, forward and backward."""
    layer = torch.nn.Conv2d(16, 32, 3, padding=1).to(getattr(torch, dtype))
    return through(torch, layer, (4, 16, 28, 28), dtype=dtype)


@in_dtypes()
def mul_sum(torch, dtype):
    """(a * b).sum() on 64 numbers, forward and backward."""
    a, b = leaves(torch, (64,), (64,), dtype=dtype)
    return backward([a, b], lambda: (a * b).sum())


@in_dtypes()
def attention(torch, dtype):
    """Causal attention of 4 heads, 64 positions of 32, batch 2, forward and backward."""
    attend = torch.nn.functional.scaled_dot_product_attention
    return through(torch, lambda q, k, v: attend(q, k, v, is_causal=True), *[(2, 4, 64, 32)] * 3, dtype=dtype)


@in_dtypes(dtypes=("int32", "uint8"))
def arithmetic(torch, dtype):
    """(3 a + b) % 7 == 2 on 64 numbers."""
    a, b = (integers(torch, 20, 64).to(getattr(torch, dtype)) for _ in range(2))
    return lambda: (3 * a + b) % 7 == 2


@in_dtypes(dtypes=("int64",))
def positions(torch, dtype):
    """The positions that a mask of 8 rows of 128 tokens gives them."""
    mask = (integers(torch, 4, 8, 128) > 0).to(getattr(torch, dtype))
    return lambda: (mask.cumsum(1) - 1).clamp(min=0)


@in_dtypes(dtypes=("complex64",))
def numbers(torch, dtype):
    """(a b + a).abs() on 64 numbers."""
    a, b = plain(torch, (64, 2), (64, 2))
    a, b = (torch.view_as_complex(x).to(getattr(torch, dtype)) for x in (a, b))
    return lambda: (a * b + a).abs()
