"""Element-wise ops one by one, from one number to 16 million. Forward alone unless said."""

from .making import backward, leaves, plain, positive
from .registering import sized

ALL = 1, 1_000, 1_000_000, 4_000_000, 16_000_000
SOME = 1_000, 1_000_000, 16_000_000
LARGE = 1_000_000, 16_000_000


@sized("elementwise", ALL, 3)
def add(torch, size):
    """a + b."""
    a, b = plain(torch, (size,), (size,))
    return lambda: a + b


@sized("elementwise", LARGE, 3)
def mul(torch, size):
    """a * b."""
    a, b = plain(torch, (size,), (size,))
    return lambda: a * b


@sized("elementwise", ALL, 2)
def exp(torch, size):
    """exp(a)."""
    (a,) = plain(torch, (size,))
    return lambda: torch.exp(a)


@sized("elementwise", LARGE, 2)
def log(torch, size):
    """log(a)."""
    a = positive(torch, size)
    return lambda: torch.log(a)


@sized("elementwise", SOME, 2)
def tanh(torch, size):
    """tanh(a)."""
    (a,) = plain(torch, (size,))
    return lambda: torch.tanh(a)


@sized("elementwise", SOME, 2)
def gelu_of(torch, size):
    """gelu(a)."""
    (a,) = plain(torch, (size,))
    return lambda: torch.nn.functional.gelu(a)


@sized("elementwise", LARGE, 2)
def sigmoid(torch, size):
    """sigmoid(a)."""
    (a,) = plain(torch, (size,))
    return lambda: torch.sigmoid(a)


@sized("elementwise", LARGE, 2)
def erf(torch, size):
    """erf(a)."""
    (a,) = plain(torch, (size,))
    return lambda: torch.erf(a)


@sized("elementwise", LARGE, 2)
def sin(torch, size):
    """sin(a)."""
    (a,) = plain(torch, (size,))
    return lambda: torch.sin(a)


@sized("elementwise", LARGE, 2)
def power(torch, size):
    """a to the power of 2.5."""
    a = positive(torch, size)
    return lambda: a**2.5


@sized("elementwise", (1_000_000,), 3)
def power_of(torch, size):
    """a to the power of b."""
    a, (b,) = positive(torch, size), plain(torch, (size,))
    return lambda: a**b


@sized("elementwise", (1_000_000,), 2)
def remainder(torch, size):
    """The remainder of a by 0.7."""
    (a,) = plain(torch, (size,))
    return lambda: torch.remainder(a, 0.7)


@sized("elementwise", LARGE, 3)
def where(torch, size):
    """where(c, a, b)."""
    a, b = plain(torch, (size,), (size,))
    c = a > b
    return lambda: torch.where(c, a, b)


@sized("elementwise", LARGE, 2)
def clamp(torch, size):
    """clamp(a, -1, 1)."""
    (a,) = plain(torch, (size,))
    return lambda: a.clamp(-1.0, 1.0)


@sized("elementwise", SOME, 2)
def relu(torch, size):
    """relu(a)."""
    (a,) = plain(torch, (size,))
    return lambda: torch.relu(a)


@sized("elementwise", LARGE, 0)
def gelu_backward(torch, size):
    """gelu(a), forward and backward."""
    (a,) = leaves(torch, (size,))
    return backward([a], lambda: torch.nn.functional.gelu(a).sum())


@sized("elementwise", LARGE, 0)
def mul_backward(torch, size):
    """a * b, forward and backward."""
    a, b = leaves(torch, (size,), (size,))
    return backward([a, b], lambda: (a * b).sum())
