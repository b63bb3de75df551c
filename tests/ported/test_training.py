"""Training scripts as people write them with `import torch`; the numbers are what PyTorch 2.13 gives."""

from io import BytesIO
from typing import Any

import specgrad as torch
from specgrad import nn
from specgrad.nn import functional as F
from specgrad.utils.data import DataLoader, TensorDataset

from .numbers import close, fixed, numbers


class Attention(nn.Module):
    """Causal self-attention of one head, with a residual and a norm."""

    def __init__(self, size: int, context: int) -> None:
        super().__init__()
        self.qkv = nn.Linear(size, 3 * size, bias=False)
        self.norm = nn.LayerNorm(size)
        self.register_buffer("tril", torch.tril(torch.ones(context, context)))

    def forward(self, x: Any) -> Any:
        B, T, C = x.shape
        q, k, v = self.qkv(self.norm(x)).split(C, dim=2)
        weights = q @ k.transpose(-2, -1) * C**-0.5
        weights = weights.masked_fill(self.tril[:T, :T] == 0, float("-inf"))
        return x + F.softmax(weights, dim=-1) @ v


class Language(nn.Module):
    """A language model whose output layer is tied to its embedding."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens = nn.Embedding(7, 8)
        self.positions = nn.Embedding(5, 8)
        self.blocks = nn.Sequential(Attention(8, 5), Attention(8, 5))
        self.head = nn.Linear(8, 7, bias=False)
        self.head.weight = self.tokens.weight

    def forward(self, index: Any) -> Any:
        x = self.tokens(index) + self.positions(torch.arange(index.shape[1], device=index.device))
        return self.head(self.blocks(x))


def test_attention() -> None:
    """Training with AdamW, clipping and a schedule; then greedy generation."""
    model = fixed(Language())
    assert len(list(model.parameters())) == 8 and "blocks.0.tril" in model.state_dict()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.02, weight_decay=0.1)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=8)
    data = (torch.arange(40) * 3) % 7
    losses = []
    for step in range(8):
        starts = [step, step + 3, step + 11]
        x = torch.stack([data[i : i + 5] for i in starts])
        y = torch.stack([data[i + 1 : i + 6] for i in starts])
        logits = model(x)
        loss = F.cross_entropy(logits.view(-1, 7), y.view(-1))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
    assert [losses[0], losses[-1], norm.item(), schedule.get_last_lr()[0]] == close([3.46871, 2.56217, 0.849891, 0])
    model.eval()
    index = torch.zeros((1, 1), dtype=torch.long)
    with torch.no_grad():
        for _ in range(4):
            index = torch.cat((index, model(index[:, -5:])[:, -1].argmax(-1, keepdim=True)), dim=1)
    assert index[0].tolist() == [0, 6, 1, 2, 2]


def test_convolutional_network_with_checkpoint() -> None:
    """A CNN with batch norm trained from a DataLoader; resumed from a checkpoint it goes on alike."""

    def make() -> tuple[Any, Any]:
        layers = [nn.Conv2d(1, 3, 3, padding=1), nn.BatchNorm2d(3), nn.ReLU(inplace=True), nn.MaxPool2d(2)]
        model = fixed(nn.Sequential(*layers, nn.Flatten(), nn.Linear(3 * 2 * 2, 3)))
        return model, torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True, weight_decay=1e-3)

    def train(model: Any, optimizer: Any) -> float:
        total = 0.0
        for x, y in loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
            total += loss.item() * x.size(0)
        return total / len(loader.dataset)

    loader = DataLoader(TensorDataset(numbers(10, 1, 4, 4), torch.arange(10) % 3), batch_size=4)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    model, optimizer = make()
    first = train(model, optimizer)
    file = BytesIO()
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, file)
    second = train(model, optimizer)
    file.seek(0)
    checkpoint = torch.load(file)
    other, its_optimizer = make()
    other.load_state_dict(checkpoint["model"])
    its_optimizer.load_state_dict(checkpoint["optimizer"])
    assert train(other, its_optimizer) == second
    other.eval()
    assert [first, second, other(numbers(2, 1, 4, 4))[1, 2].item()] == close([1.11338, 0.887038, -0.193207])


def test_adversarial_pair() -> None:
    """Two networks with an optimizer each, `detach`, a penalty on gradients, and weights clamped in place."""
    G = fixed(nn.Sequential(nn.Linear(3, 8), nn.LeakyReLU(0.2, inplace=True), nn.Linear(8, 2), nn.Tanh()))
    D = fixed(nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1)))
    of_g = torch.optim.Adam(G.parameters(), lr=2e-2, betas=(0.5, 0.999))
    of_d = torch.optim.Adam(D.parameters(), lr=2e-2, betas=(0.5, 0.999))
    real, noise = numbers(6, 2), numbers(6, 3)
    for _ in range(4):
        fake = G(noise)
        D.zero_grad()
        label = torch.full((6,), 1.0)
        mixed = (0.3 * real + 0.7 * fake.detach()).requires_grad_(True)
        (derivative,) = torch.autograd.grad(D(mixed), mixed, torch.ones(6, 1), create_graph=True, only_inputs=True)
        penalty = ((derivative.norm(2, dim=1) - 1) ** 2).mean()
        loss_d = F.binary_cross_entropy_with_logits(D(real).view(-1), label) + 10 * penalty
        loss_d = loss_d + F.binary_cross_entropy_with_logits(D(fake.detach()).view(-1), torch.zeros_like(label))
        loss_d.backward()
        of_d.step()
        for p in D.parameters():
            p.data.clamp_(-0.4, 0.4)
        G.zero_grad()
        loss_g = F.binary_cross_entropy_with_logits(D(fake).view(-1), label.fill_(1))
        loss_g.backward()
        of_g.step()
    assert [loss_d.item(), loss_g.item(), penalty.item(), G[0].weight.abs().sum().item()] == close(
        [7.32877, 0.569553, 0.59628, 8.18005]
    )
