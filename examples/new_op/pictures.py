"""The two pictures of the demo: how training went and what it learned, and which digits were misread."""

from pathlib import Path

import matplotlib
from matplotlib import pyplot as plt

matplotlib.use("Agg")  # pictures go to files; no display is needed


def save_curves(histories: dict[str, dict[str, list[float]]], betas: dict[str, list[float]], path: Path) -> None:
    """Loss and accuracy of each network, epoch by epoch, and the learned betas, one for each channel of a layer."""
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(13, 3.5), layout="constrained")
    for name, history in histories.items():
        epochs = range(1, len(history["loss"]) + 1)
        left.plot(epochs, history["loss"], marker="o", label=name)
        middle.plot(epochs, [100 * a for a in history["accuracy"]], marker="o", label=name)
    left.set(title="training set", xlabel="epoch", ylabel="cross entropy", yscale="log")
    middle.set(title="test set", xlabel="epoch", ylabel="accuracy (%)")
    for layer, values in betas.items():
        right.plot(range(len(values)), sorted(values), marker="o", linestyle="none", label=layer)
    right.axhline(1, linestyle=":", color="grey", label="before training")
    right.set(title="learned beta", xlabel="channel, in the order of beta", ylabel="beta")
    for axis in (left, middle, right):
        axis.legend()
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
