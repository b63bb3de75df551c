"""Profile the training of a small convolutional network, and draw the graph that backward goes through.

Prints a table of what took the time and where the files are that it leaves in out/profile_and_draw/: a trace for
chrome://tracing or https://ui.perfetto.dev, and the picture of the graph. Exits with 1 when one lacks something.
"""

import json
import sys
from pathlib import Path

import specgrad as torch
from specgrad import nn
from specgrad.profiler import profile, record_function, schedule
from specgrad.utils.data import DataLoader, TensorDataset

OUT = Path(__file__).resolve().parents[2] / "out" / "profile_and_draw"
TRACE, PICTURE = OUT / "trace.json", OUT / "graph.svg"
WARM_UP, ACTIVE = 2, 4  # steps that compile the kernels, and steps that are recorded


def network() -> nn.Module:
    """Two convolutions and a linear layer, for pictures of 8 x 8."""
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1),
        nn.BatchNorm2d(8),
        nn.ReLU(),
        nn.Conv2d(8, 16, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(16 * 4 * 4, 10),
    )


def batches() -> DataLoader:
    """Random pictures and labels, as many as there are steps."""
    count = 32 * (WARM_UP + ACTIVE)
    data = TensorDataset(torch.randn(count, 1, 8, 8), torch.randint(0, 10, (count,)))
    return DataLoader(data, batch_size=32)


def train(model: nn.Module) -> profile:
    """Train for a few steps under the profiler."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    plan = schedule(wait=0, warmup=WARM_UP, active=ACTIVE, repeat=1)
    with profile(schedule=plan, record_shapes=True, profile_memory=True) as prof:
        for images, labels in batches():
            with record_function("forward"):
                loss = nn.functional.cross_entropy(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            prof.step()
    return prof


def draw(model: nn.Module) -> None:
    """The graph of one loss, with the names of the parameters."""
    images, labels = next(iter(batches()))
    loss = nn.functional.cross_entropy(model(images), labels)
    torch.graph.draw({"loss": loss}, PICTURE, params=model)


def main() -> int:
    """Do all of it and look at what came out."""
    torch.manual_seed(0)
    OUT.mkdir(parents=True, exist_ok=True)
    model = network()
    prof = train(model)
    print(prof.key_averages().table(sort_by="self_cpu_time_total", row_limit=15))
    print(f"at most {prof.peak_memory_usage / 1024:.0f} KB of results at once")
    prof.export_chrome_trace(TRACE)
    draw(model)
    print(f"trace:   {TRACE}\npicture: {PICTURE}")

    steps = [event for event in prof.events() if event.key == "ProfilerStep*"]
    arrows = [entry for entry in json.loads(TRACE.read_text(encoding="utf-8"))["traceEvents"] if entry["ph"] == "f"]
    sampled = all(name in PICTURE.read_text(encoding="utf-8") for name, _ in model.named_parameters())
    return 0 if len(steps) == ACTIVE and len(arrows) > 5 * ACTIVE and sampled else 1


if __name__ == "__main__":
    sys.exit(main())
