"""Small workloads, written once against the API that specgrad and PyTorch share.

A workload is a function of the library that prepares its inputs and returns the function to time.
"""

from collections.abc import Callable
from types import ModuleType

Workload = Callable[[ModuleType], Callable[[], object]]
WORKLOADS: dict[str, Workload] = {}


def workload(make: Workload) -> Workload:
    """Register a workload under its function's name."""
    WORKLOADS[make.__name__] = make
    return make


def _leaves(torch, *shapes: tuple[int, ...]) -> list:
    """Random leaves that require gradients."""
    torch.manual_seed(0)
    return [torch.randn(*shape, requires_grad=True) for shape in shapes]


def _backward(leaves: list, loss: Callable[[], object]) -> Callable[[], None]:
    """Forward and backward of a scalar loss, starting from empty gradients."""

    def step() -> None:
        for leaf in leaves:
            leaf.grad = None
        loss().backward()

    return step


@workload
def mul_sum_64(torch):
    """(a * b).sum() on 64 numbers, forward and backward."""
    a, b = _leaves(torch, (64,), (64,))
    return _backward([a, b], lambda: (a * b).sum())


@workload
def tanh_chain_20(torch):
    """Twenty tanh in a row on 64 numbers, forward and backward."""
    (a,) = _leaves(torch, (64,))

    def loss():
        x = a
        for _ in range(20):
            x = torch.tanh(x)
        return x.sum()

    return _backward([a], loss)


@workload
def broadcast_64x64(torch):
    """A column plus a row, squared, forward and backward with the sums over the broadcast dimensions."""
    a, b = _leaves(torch, (64, 1), (1, 64))
    return _backward([a, b], lambda: (a + b).square().mean())


@workload
def matmul_64(torch):
    """A 64 x 64 matrix product, forward and backward."""
    a, b = _leaves(torch, (64, 64), (64, 64))
    return _backward([a, b], lambda: (a @ b).sum())


@workload
def softmax_loss_32x10(torch):
    """Cross entropy of 32 rows of 10 scores, forward and backward."""
    (a,) = _leaves(torch, (32, 10))
    target = torch.randint(0, 10, (32,))
    return _backward([a], lambda: torch.nn.functional.cross_entropy(a, target))


@workload
def layer_norm_32x64(torch):
    """Layer normalisation with weight and bias, forward and backward."""
    a, w, b = _leaves(torch, (32, 64), (64,), (64,))
    return _backward([a, w, b], lambda: torch.nn.functional.layer_norm(a, (64,), w, b).sum())


@workload
def views_and_cat(torch):
    """Transpose, slice, reshape and concatenate, forward and backward."""
    (a,) = _leaves(torch, (16, 16))
    return _backward([a], lambda: torch.cat([a.t()[:8].reshape(-1), a[8:].flatten()]).sum())


@workload
def rows_by_index(torch):
    """64 rows looked up in a table of 100 x 16, forward and backward."""
    (a,) = _leaves(torch, (100, 16))
    index = torch.randint(0, 100, (64,))
    return _backward([a], lambda: a[index].sum())


@workload
def recurrent_10(torch):
    """Ten steps of a recurrent cell (batch 8, state 32), forward and backward."""
    x, h, w, u = _leaves(torch, (8, 32), (8, 32), (32, 32), (32, 32))

    def loss():
        state = h
        for _ in range(10):
            state = torch.tanh(x @ w + state @ u)
        return state.sum()

    return _backward([x, h, w, u], loss)


def _perceptron(torch):
    torch.manual_seed(0)
    nn = torch.nn
    return nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))


@workload
def perceptron_forward(torch):
    """A network of two layers on a batch of 32, without recording."""
    model, x = _perceptron(torch), torch.randn(32, 64)

    def step() -> None:
        with torch.no_grad():
            model(x)

    return step


def _training_step(torch, model, optimizer, x) -> Callable[[], None]:
    target = torch.randint(0, 10, (x.shape[0],))

    def step() -> None:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), target).backward()
        optimizer.step()

    return step


@workload
def perceptron_sgd(torch):
    """One training step of two layers on a batch of 32 with SGD and momentum."""
    model = _perceptron(torch)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
    return _training_step(torch, model, optimizer, torch.randn(32, 64))


@workload
def convolution_adamw(torch):
    """One training step of a small convolutional network on 32 pictures of 8 x 8 with AdamW."""
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(256, 10),
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    return _training_step(torch, model, optimizer, torch.randn(32, 1, 8, 8))
