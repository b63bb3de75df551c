"""The two pictures of the demo: how training went, and which digits were misread."""

from pathlib import Path

import matplotlib
from matplotlib import pyplot as plt

matplotlib.use("Agg")  # pictures go to files; no display is needed


def save_curves(history: dict[str, list[float]], path: Path) -> None:
    """Loss on the training set and accuracy on the test set, epoch by epoch."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
    epochs = range(1, len(history["loss"]) + 1)
    left.plot(epochs, history["loss"], marker="o")
    left.set(title="training loss", xlabel="epoch", yscale="log")
    right.plot(epochs, [100 * a for a in history["accuracy"]], marker="o", color="tab:green")
    right.axhline(98, linestyle=":", color="grey")
    right.set(title="test accuracy (%)", xlabel="epoch")
    figure.savefig(path, dpi=120)
    plt.close(figure)


def save_misread(images, truth, guess, path: Path, max_count: int = 10) -> None:
    """The test digits that the network gets wrong, each with what it is and what it was read as."""
    wrong = (guess != truth).nonzero()[0][:max_count]
    figure, axes = plt.subplots(1, max(len(wrong), 1), figsize=(1.3 * max(len(wrong), 2), 1.8), squeeze=False)
    for axis in axes[0]:
        axis.axis("off")
    for axis, index in zip(axes[0], wrong, strict=False):
        axis.imshow(images[index], cmap="gray_r")
        axis.set_title(f"{truth[index]} read as {guess[index]}", fontsize=8)
    figure.suptitle(f"misread: {(guess != truth).sum()} of {len(truth)}", fontsize=9)
    figure.savefig(path, dpi=120)
    plt.close(figure)
