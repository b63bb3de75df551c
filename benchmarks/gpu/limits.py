"""What a device must reach: parts of the measured copy, and PyTorch's figures of the same run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

OF_THE_COPY = {"add GB/s": 0.9, "sum GB/s": 0.85, "softmax GB/s": 0.8, "layer_norm GB/s": 0.8}
GRAPHS = 1.5  # how much faster a small step as a graph is than PyTorch's eager one


def missed(result: Mapping[str, float]) -> list[str]:
    """The limits that figures, by library and name, do not reach."""
    return [*of_the_copy(result), *of_pytorch(result)]


def of_the_copy(result: Mapping[str, float]) -> Iterator[str]:
    copy = result["specgrad copy GB/s"]
    for name, part in OF_THE_COPY.items():
        reached = result[f"specgrad {name}"] / copy
        if reached < part:
            yield f"{name}: {reached:.2f} of the copy instead of {part}"


def of_pytorch(result: Mapping[str, float]) -> Iterator[str]:
    """Against PyTorch, where it was measured: products within 5 %, launches and steps no slower, graphs faster."""
    for name, theirs in ours_and_theirs(result):
        ours = result[f"specgrad {name}"]
        slower = name.endswith("us") and "graph" not in name and ours > theirs
        if slower or (name.endswith("TFLOP/s") and ours < 0.95 * theirs):
            yield f"{name}: {ours} beside {theirs} of PyTorch"
        graph = result.get(f"specgrad {name.replace('step', 'graph')}", 0.0)
        if name.endswith("step us") and GRAPHS * graph > theirs:
            yield f"{name}: {graph} as a graph beside {theirs} of PyTorch's eager step"


def ours_and_theirs(result: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    for key, value in result.items():
        if key.startswith("torch "):
            yield key.removeprefix("torch "), value
