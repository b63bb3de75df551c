"""`python -m codegen.packaging.warmup_list`: writes the list of kernels that training begins with."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import patch

import numpy as np

import specgrad as sg
from specgrad import Tensor
from specgrad.nn import functional, init, modules, utils
from specgrad.optim.optimizer import register_optimizer_step_post_hook
from specgrad.runtime.compiler.cache import precompile
from specgrad.runtime.compiler.cache.dispatcher import KernelCache
from specgrad.runtime.kernels import warmup
from specgrad.utils.data import DataLoader, TensorDataset

CLASSES, BATCH, STEPS = 10, 16, 2
VOCABULARY_SIZE, POSITIONS, WIDTH, HEADS = 65, 32, 64, 4


def perceptron() -> None:
    model = modules.Sequential(
        *(modules.Flatten(), modules.Linear(784, 256), modules.ReLU(), modules.Linear(256, 128), modules.ReLU()),
        *(modules.Dropout(0.1), modules.Linear(128, CLASSES)),
    )
    optimizer = sg.optim.Adam(model.parameters())
    functional.cross_entropy(model(sg.randn(BATCH, 1, 28, 28)), sg.randint(0, CLASSES, (BATCH,))).backward()
    optimizer.step()
    classify(model, sg.rand(STEPS * BATCH, 1, 28, 28), optimizer)
    classify(model, sg.rand(STEPS * BATCH, 1, 28, 28), sg.optim.SGD(model.parameters(), 0.1))


def convolutional() -> None:
    model = modules.Sequential(
        *(modules.Conv2d(1, 16, 3, padding=1), modules.BatchNorm2d(16), modules.ReLU(), modules.MaxPool2d(2)),
        *(modules.Conv2d(16, 32, 3, padding=1), modules.BatchNorm2d(32), modules.ReLU(), modules.MaxPool2d(2)),
        *(modules.Flatten(), modules.Dropout(0.25), modules.Linear(32 * 7 * 7, CLASSES)),
    )
    classify(model, sg.rand(STEPS * BATCH, 1, 28, 28), sg.optim.AdamW(model.parameters()))
    optimizer = sg.optim.SGD(model.parameters(), 0.01, momentum=0.9)
    classify(model, sg.randn(STEPS * BATCH, 1, 28, 28), optimizer)


class Block(modules.Module):
    def __init__(self) -> None:
        super().__init__()
        self.before, self.between = modules.LayerNorm(WIDTH), modules.LayerNorm(WIDTH)
        self.shared, self.fused = modules.Linear(WIDTH, 3 * WIDTH), modules.Linear(WIDTH, WIDTH)
        self.rest = modules.Sequential(
            modules.Linear(WIDTH, 4 * WIDTH), modules.GELU(), modules.Linear(4 * WIDTH, WIDTH), modules.Dropout(0.1)
        )

    def forward(self, x: Tensor) -> Tensor:
        parts = self.shared(self.before(x)).chunk(3, -1)
        heads = [part.view(*part.shape[:2], HEADS, -1).transpose(1, 2) for part in parts]
        q, k, v = heads
        seen = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.fused(seen.transpose(1, 2).contiguous().view(x.shape))
        return x + self.rest(self.between(x))


class Transformer(modules.Module):
    def __init__(self) -> None:
        super().__init__()
        self.token_embedding = modules.Embedding(VOCABULARY_SIZE, WIDTH)
        self.positions = modules.Embedding(POSITIONS, WIDTH)
        self.blocks, self.norm = modules.Sequential(Block(), Block()), modules.LayerNorm(WIDTH)
        self.head = modules.Linear(WIDTH, VOCABULARY_SIZE, bias=False)
        self.token_embedding.weight = self.head.weight
        init.normal_(self.head.weight, std=0.02)

    def forward(self, x: Tensor) -> Tensor:
        result = self.token_embedding(x) + self.positions(sg.arange(x.size(1)))
        return self.head(self.norm(self.blocks(functional.dropout(result, 0.1))))


def transformer() -> None:
    model, text = Transformer(), sg.randint(VOCABULARY_SIZE, (1000,))
    optimizer = sg.optim.AdamW(model.parameters())
    for _ in range(STEPS):
        begin = sg.randint(len(text) - POSITIONS, (BATCH,))
        x, y = (sg.stack([text[i + more : i + more + POSITIONS] for i in begin]) for more in (0, 1))
        functional.cross_entropy(model(x).view(-1, VOCABULARY_SIZE), y.view(-1)).backward()
        utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()


class Recurrent(modules.Module):
    def __init__(self) -> None:
        super().__init__()
        self.token_embedding, self.head = modules.Embedding(VOCABULARY_SIZE, WIDTH), modules.Linear(WIDTH, CLASSES)
        self.lstm = modules.LSTM(WIDTH, WIDTH, num_layers=2, batch_first=True, dropout=0.1)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.lstm(self.token_embedding(x))[0][:, -1])


def recurrent() -> None:
    model = Recurrent()
    x = sg.randint(VOCABULARY_SIZE, (STEPS * BATCH, POSITIONS))
    classify(model, x, sg.optim.Adam(model.parameters()))


def regression() -> None:
    model = modules.Sequential(modules.Linear(3, WIDTH), modules.Tanh(), modules.Linear(WIDTH, 1))
    optimizer = sg.optim.Adam(model.parameters())
    for _ in range(STEPS):
        x = sg.randn(BATCH, 3)
        optimizer.zero_grad()
        functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()


class Residual(modules.Module):
    def __init__(self, before: int, width: int) -> None:
        super().__init__()
        self.first = modules.Conv2d(before, width, 3, stride=2, padding=1, bias=False)
        self.second = modules.Conv2d(width, width, 3, padding=1, bias=False)
        self.norms = modules.ModuleList(modules.BatchNorm2d(width) for _ in range(3))
        self.shortcut = modules.Conv2d(before, width, 1, stride=2, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        result = self.norms[0](self.first(x)).relu()
        return functional.relu(self.norms[1](self.second(result)) + self.norms[2](self.shortcut(x)))


def residual() -> None:
    model = modules.Sequential(
        *(modules.Conv2d(3, 16, 3, padding=1), modules.ReLU(), Residual(16, 16), Residual(16, 32)),
        *(modules.AdaptiveAvgPool2d(1), modules.Flatten(), modules.Linear(32, CLASSES)),
    )
    pictures = np.random.default_rng(0).random((STEPS * BATCH, 32, 32, 3))
    x = sg.tensor(pictures, dtype=sg.float32).permute(0, 3, 1, 2)
    classify(model, x, sg.optim.SGD(model.parameters(), 0.1, momentum=0.9, weight_decay=5e-4))


class Autoencoder(modules.Module):
    def __init__(self) -> None:
        super().__init__()
        self.reading = modules.Sequential(
            *(modules.Conv2d(1, 16, 3, stride=2, padding=1), modules.LeakyReLU(0.2)),
            *(modules.Conv2d(16, 32, 3, stride=2, padding=1), modules.LeakyReLU(0.2), modules.Flatten()),
        )
        self.mean, self.log_variance = modules.Linear(32 * 7 * 7, 8), modules.Linear(32 * 7 * 7, 8)
        self.writing = modules.Sequential(
            *(modules.Linear(8, 32 * 7 * 7), modules.ReLU(), modules.Unflatten(1, (32, 7, 7))),
            *(modules.ConvTranspose2d(32, 16, 4, stride=2, padding=1), modules.ReLU()),
            *(modules.ConvTranspose2d(16, 1, 4, stride=2, padding=1), modules.Sigmoid()),
        )

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        result = self.reading(x)
        mean, log_variance = self.mean(result), self.log_variance(result)
        latent = mean + sg.randn_like(mean) * sg.exp(0.5 * log_variance)
        return self.writing(latent), mean, log_variance


def autoencoder() -> None:
    """A variational one (Kingma and Welling 2013)."""
    model = Autoencoder()
    optimizer = sg.optim.Adam(model.parameters())
    for _ in range(STEPS):
        x = sg.rand(BATCH, 1, 28, 28)
        again, mean, log_variance = model(x)
        loss = functional.binary_cross_entropy(again, x)
        loss = loss - 0.5 * (1 + log_variance - mean.pow(2) - log_variance.exp()).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        loss.item()


def classify(model: Any, x: Tensor, optimizer: Any) -> None:
    data = TensorDataset(x, sg.randint(CLASSES, (len(x),)))
    for part, required in DataLoader(data, batch_size=BATCH, shuffle=True):
        optimizer.zero_grad()
        result = model(part)
        functional.cross_entropy(result, required).backward()
        optimizer.step()
        (result.argmax(1) == required).float().mean().item()


PROGRAMS = (perceptron, convolutional, transformer, recurrent, regression, residual, autoencoder)


def recorded(program: Callable[[], None]) -> Iterator[str]:
    result = dict[str, None]()
    load = KernelCache.load_overload

    def noted(self: Any, sig: Any, context: Any) -> Any:
        function = self.compiler.py_func
        line = warmup.line_of(function.__module__, function.__name__, getattr(sig, "args", sig))
        if line is not None:
            result[line] = None
        return load(self, sig, context)

    def ended(*_: Any) -> None:
        result[""] = None

    hook = register_optimizer_step_post_hook(ended)
    with patch.object(KernelCache, "load_overload", noted):
        program()
    hook.remove()
    return iter(result)


def part_of(name: str, folder: str) -> str:
    environment = {**os.environ, precompile.SETTING: "0", "SPECGRAD_CACHE_DIR": folder}
    command = [sys.executable, "-m", __spec__.name, name]
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout


def main() -> None:
    for program in PROGRAMS:
        if program.__name__ in sys.argv[1:]:
            print(f"{precompile.MARK}{program.__name__}", *recorded(program), sep="\n")
    if not sys.argv[1:]:
        with tempfile.TemporaryDirectory() as folder:
            parts = [part_of(program.__name__, folder) for program in PROGRAMS]
        precompile.LIST.write_text("".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
