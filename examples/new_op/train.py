"""Train a small network that uses the new op on the real handwritten digits that scikit-learn carries.

Prints a progress bar, the test accuracy and where the pictures and the saved model are; exits with 1 when
the accuracy is under 98 %, or when the model that was loaded again does not give the same predictions.
On a GPU it trains with another word in training.py: DEVICE = "cuda".
"""

import sys
from functools import partial
from pathlib import Path

from network import digit_network
from pictures import save_curves, save_misread
from sklearn.datasets import load_digits
from tqdm import tqdm
from training import DEVICE, scores, train_epoch

import specgrad as torch
from specgrad import Tensor, nn
from specgrad.utils.data import DataLoader, TensorDataset, random_split

EPOCHS = 15
BATCH = 32
TEST = 360  # digits kept for the test, of 1797
TARGET_ACCURACY = 0.98
OUT = Path(__file__).resolve().parents[2] / "out" / "new_op"


def load() -> tuple[TensorDataset, TensorDataset]:
    """The 1797 pictures of 8 x 8 grey levels, scaled to [0, 1], split into training and test set."""
    digits = load_digits()
    images = torch.tensor(digits.images / 16, dtype=torch.float32).unsqueeze(1)
    data = TensorDataset(images, torch.tensor(digits.target))
    return random_split(data, [len(data) - TEST, TEST], generator=torch.Generator().manual_seed(0))


def batch_first(data) -> tuple[Tensor, Tensor]:
    """All pictures and all labels of a data set as two tensors."""
    return next(iter(DataLoader(data, batch_size=len(data))))


def counted(bar: tqdm) -> None:
    """Count a batch. The first one compiles kernels, so the clock that the rest is estimated by starts after it."""
    if bar.n == 0:
        bar.unpause()
        bar.set_description("training", refresh=False)
    bar.update()


def train(model: nn.Module, train_set, images: Tensor, labels: Tensor) -> dict[str, list[float]]:
    """Train for EPOCHS epochs; the loss and the test accuracy after each."""
    loader = DataLoader(train_set, batch_size=BATCH, shuffle=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=5e-2)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS)
    history: dict[str, list[float]] = {"loss": [], "accuracy": []}
    with tqdm(total=EPOCHS * len(loader), desc="compiling", unit="batch") as bar:
        for _ in range(EPOCHS):
            history["loss"].append(train_epoch(model, optimizer, loader, partial(counted, bar)))
            schedule.step()
            right = scores(model, images).argmax(1) == labels
            history["accuracy"].append(right.float().mean().item())
            bar.set_postfix(loss=f"{history['loss'][-1]:.4f}", accuracy=f"{history['accuracy'][-1]:.2%}")
    return history


def survives_saving(model: nn.Module, images: Tensor, path: Path) -> bool:
    """Does a fresh network with the saved state give exactly the same scores?"""
    torch.save(model.state_dict(), path)
    again = digit_network().to(DEVICE)
    again.load_state_dict(torch.load(path))
    return torch.equal(scores(again, images), scores(model, images))


def main() -> int:
    OUT.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    torch.set_num_threads(1)  # matrices this small are multiplied fastest by one
    train_set, test_set = load()
    images, labels = (part.to(DEVICE) for part in batch_first(test_set))
    model = digit_network().to(DEVICE)
    history = train(model, train_set, images, labels)
    accuracy, guess = history["accuracy"][-1], scores(model, images).argmax(1)
    save_curves(history, OUT / "curves.png")
    shown = (part.cpu().numpy() for part in (images.squeeze(1), labels, guess))
    save_misread(*shown, OUT / "misread.png")
    same = survives_saving(model, images, OUT / "model.sg")
    print(f"test accuracy     {accuracy:.2%} of {TEST} digits (wanted: {TARGET_ACCURACY:.0%})")
    print("saved and loaded ", "gives the same predictions" if same else "gives OTHER predictions")
    print(f"pictures          {OUT / 'curves.png'}\n                  {OUT / 'misread.png'}")
    return 0 if same and accuracy >= TARGET_ACCURACY else 1


if __name__ == "__main__":
    sys.exit(main())
