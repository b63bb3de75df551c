"""How a workload gets its group and name, and what most workloads need."""

from collections.abc import Callable
from types import ModuleType

Workload = Callable[[ModuleType], Callable[[], object]]
GROUPS: dict[str, dict[str, Workload]] = {"overhead": {}, "memory": {}, "layer": {}, "model": {}}


def workload(group: str) -> Callable[[Workload], Workload]:
    """Register a workload in a group, under its function's name."""

    def register(make: Workload) -> Workload:
        GROUPS[group][make.__name__] = make
        return make

    return register


def leaves(torch, *shapes: tuple[int, ...]) -> list:
    """Random leaves that require gradients."""
    torch.manual_seed(0)
    return [torch.randn(*shape, requires_grad=True) for shape in shapes]


def plain(torch, *shapes: tuple[int, ...]) -> list:
    """Random tensors without gradients."""
    torch.manual_seed(0)
    return [torch.randn(*shape) for shape in shapes]


def backward(inputs: list, loss: Callable[[], object]) -> Callable[[], None]:
    """Forward and backward of a scalar loss, starting from empty gradients."""

    def step() -> None:
        for leaf in inputs:
            leaf.grad = None
        loss().backward()

    return step


def through(torch, layer, *shapes: tuple[int, ...]) -> Callable[[], None]:
    """Forward and backward of a module or function of leaves, with a gradient of ones for its output."""
    inputs = leaves(torch, *shapes)
    parameters = list(layer.parameters()) if hasattr(layer, "parameters") else []
    ones = []

    def step() -> None:
        for leaf in (*inputs, *parameters):
            leaf.grad = None
        output = layer(*inputs)
        output = output[0] if isinstance(output, tuple) else output
        if not ones:
            ones.append(torch.ones_like(output))
        output.backward(ones[0])

    return step


def training(torch, model, optimizer, x, classes: int = 10) -> Callable[[], None]:
    """One training step of a classifier."""
    target = torch.randint(0, classes, (x.shape[0],))

    def step() -> None:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), target).backward()
        optimizer.step()

    return step


def inference(torch, model, x) -> Callable[[], None]:
    """A model's output, without recording."""
    model.eval()

    def step() -> None:
        with torch.no_grad():
            model(x)

    return step
