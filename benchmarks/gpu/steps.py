"""Steps of training on a device, eager and as a graph, written against the API that specgrad and PyTorch share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Step = Callable[[], Any]


def mlp(lib: Any) -> tuple[Any, tuple[int, ...]]:
    nn = lib.nn
    return nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10)), (64, 64)


def cnn(lib: Any) -> tuple[Any, tuple[int, ...]]:
    nn = lib.nn
    front = nn.Conv2d(1, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()
    return nn.Sequential(*front, nn.Linear(16 * 13 * 13, 10)), (64, 1, 28, 28)


def lstm(lib: Any) -> tuple[Any, tuple[int, ...]]:
    class Last(lib.nn.Module):  # type: ignore[misc]
        """The scores after the last step of a sequence."""

        def __init__(self) -> None:
            super().__init__()
            self.cells, self.scores = lib.nn.LSTM(32, 64, batch_first=True), lib.nn.Linear(64, 10)

        def forward(self, x: Any) -> Any:
            return self.scores(self.cells(x)[0][:, -1])

    return Last(), (32, 20, 32)


def transformer(lib: Any) -> tuple[Any, tuple[int, ...]]:
    nn = lib.nn
    layer = nn.TransformerEncoderLayer(64, 4, 256, dropout=0.0, batch_first=True)
    return nn.Sequential(layer, nn.Flatten(), nn.Linear(32 * 64, 10)), (16, 32, 64)


MODELS: dict[str, Callable[[Any], tuple[Any, tuple[int, ...]]]] = {
    "mlp": mlp,
    "cnn": cnn,
    "lstm": lstm,
    "transformer": transformer,
}


def step_of(lib: Any, name: str) -> Step:
    """One step of training of a model, on data that stay where they are."""
    lib.manual_seed(0)
    model, shape = MODELS[name](lib)
    model.to("cuda")
    optimizer = lib.optim.Adam(model.parameters(), lr=1e-3, capturable=True)
    inputs = lib.randn(*shape, device="cuda")
    target = lib.randint(0, 10, (shape[0],), device="cuda")

    def step() -> Any:
        optimizer.zero_grad()
        loss = lib.nn.functional.cross_entropy(model(inputs), target)
        loss.backward()
        optimizer.step()
        return loss

    return step


def graph_of(lib: Any, step: Step) -> Step:
    """A step as one launch of a graph."""
    side = lib.cuda.Stream()
    side.wait_stream(lib.cuda.current_stream())
    with lib.cuda.stream(side):
        for _ in range(3):
            step()
    lib.cuda.current_stream().wait_stream(side)
    graph = lib.cuda.CUDAGraph()
    with lib.cuda.graph(graph):
        step()
    replay: Step = graph.replay
    return replay
