"""One pass of training, and what a network makes of pictures, on the CPU or on a GPU."""

from collections.abc import Callable

import specgrad as torch
from specgrad import Tensor, nn
from specgrad.utils.data import DataLoader

DEVICE = "cpu"  # or "cuda"


def train_epoch(model: nn.Module, optimizer, loader: DataLoader, done: Callable[[], object]) -> float:
    """One pass over the training set, with a call of `done` after each batch; the mean loss."""
    model.train()
    total = 0.0
    for images, labels in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(images.to(DEVICE)), labels.to(DEVICE))
        loss.backward()
        optimizer.step()
        total += loss.item()
        done()
    return total / len(loader)


def scores(model: nn.Module, images: Tensor) -> Tensor:
    """The network's scores in evaluation mode, without recording a graph."""
    model.eval()
    with torch.no_grad():
        return model(images)
