"""Train a small network that uses the new op on the real handwritten digits that scikit-learn carries.

A second network has ReLU instead, as a baseline. Prints a progress bar for each, accuracies, the learned betas and
where the pictures and the saved model are; exits with 1 when the accuracy with the op is under 98 %, or when the model
that was loaded again does not give the same predictions.
On a GPU it trains with another word in training.py: DEVICE = "cuda".
"""

import sys
from pathlib import Path

from network import PSwish, digit_network
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


def train(name: str, model: nn.Module, train_set, images: Tensor, labels: Tensor) -> dict[str, list[float]]:
    """Train for EPOCHS epochs; the loss and the test accuracy after each."""
    loader = DataLoader(train_set, batch_size=BATCH, shuffle=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=5e-2)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS)
    history: dict[str, list[float]] = {"loss": [], "accuracy": []}
    with tqdm(total=EPOCHS * len(loader), desc=name, unit="batch", disable=None) as bar:  # on terminals only
        for _ in range(EPOCHS):
            history["loss"].append(train_epoch(model, optimizer, loader, bar.update))
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
    baseline = digit_network(activation=lambda channels: nn.ReLU()).to(DEVICE)
    networks = {"pswish": model, "relu": baseline}
    histories = {name: train(name, network, train_set, images, labels) for name, network in networks.items()}
    accuracy, guess = histories["pswish"]["accuracy"][-1], scores(model, images).argmax(1)
    layers = [layer.beta.detach().flatten() for layer in model if isinstance(layer, PSwish)]
    betas = {f"layer {number}": values.tolist() for number, values in enumerate(layers, 1)}
    save_curves(histories, betas, OUT / "curves.png")
    shown = (part.cpu().numpy() for part in (images.squeeze(1), labels, guess))
    save_misread(*shown, OUT / "misread.png")
    same = survives_saving(model, images, OUT / "model.sg")
    print(f"test accuracy     {accuracy:.2%} of {TEST} digits, at least {TARGET_ACCURACY:.0%} expected")
    print(f"with relu         {histories['relu']['accuracy'][-1]:.2%}")
    learned = sorted(sum(betas.values(), []))
    print(f"learned beta      from {learned[0]:.2f} to {learned[-1]:.2f}, 1 at first")
    print("saved and loaded ", "gives the same predictions" if same else "gives OTHER predictions")
    print(f"pictures          {OUT / 'curves.png'}\n                  {OUT / 'misread.png'}")
    return 0 if same and accuracy >= TARGET_ACCURACY else 1


if __name__ == "__main__":
    sys.exit(main())
