"""Train a small network on handwritten digits, each rank on its share: mpiexec -n 2 python train.py.

The first rank prints a progress bar and the test accuracy; all exit with 1 when that is under 97 % after all epochs.
"""

import argparse
import sys

from sklearn.datasets import load_digits
from tqdm import tqdm

import specgrad as torch
import specgrad.distributed as dist
from specgrad import nn
from specgrad.nn.parallel import DistributedDataParallel
from specgrad.utils.data import DataLoader, DistributedSampler, TensorDataset, random_split

BATCH = 32  # of all ranks together
TEST = 360  # digits kept for the test, of 1797
EPOCHS = 12
TARGET_ACCURACY = 0.97


def load() -> tuple[TensorDataset, TensorDataset]:
    """The 1797 pictures of 8 x 8 grey levels, split alike on all ranks."""
    digits = load_digits()
    images = torch.tensor(digits.images / 16, dtype=torch.float32).unsqueeze(1)
    data = TensorDataset(images, torch.tensor(digits.target))
    return random_split(data, [len(data) - TEST, TEST], generator=torch.Generator().manual_seed(0))


def network() -> nn.Module:
    """Two convolutions, normalised over the batches of all ranks, and a linear layer."""
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.SyncBatchNorm(16),
        nn.ReLU(),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.SyncBatchNorm(32),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(32 * 4 * 4, 10),
    )


def train(model: nn.Module, data: TensorDataset, epochs: int) -> None:
    """Train, with a progress bar on the first rank."""
    sampler = DistributedSampler(data)
    loader = DataLoader(data, batch_size=BATCH // dist.get_world_size(), sampler=sampler)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    bar = tqdm(total=epochs * len(loader), unit="batch", disable=dist.get_rank() > 0)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for images, labels in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(images), labels)
            loss.backward()
            optimizer.step()
            bar.update()
        bar.set_postfix(loss=f"{loss.item():.4f}")
    bar.close()


def accuracy(model: nn.Module, data: TensorDataset) -> float:
    """The part of the digits that are read right; each rank reads its share of them."""
    model.eval()
    shares = DataLoader(
        [data[number] for number in range(dist.get_rank(), len(data), dist.get_world_size())], len(data)
    )
    images, labels = next(iter(shares))
    with torch.no_grad():
        right = (model(images).argmax(1) == labels).sum()
    dist.all_reduce(right)
    return right.item() / len(data)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    epochs = parser.parse_args().epochs
    torch.manual_seed(0)
    torch.set_num_threads(1)
    dist.init_process_group("mpi")
    train_set, test_set = load()
    model = DistributedDataParallel(network())
    train(model, train_set, epochs)
    found = accuracy(model.module, test_set)
    if dist.get_rank() == 0:
        print(f"test accuracy {found:.2%} on {dist.get_world_size()} ranks")
    dist.destroy_process_group()
    return int(found < TARGET_ACCURACY and epochs >= EPOCHS)


if __name__ == "__main__":
    sys.exit(main())
