"""A tour of the API as PyTorch users write it: type checkers find nothing here, and it runs."""

import math
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

import specgrad as torch
import specgrad.nn.functional as F
from specgrad import Tensor, nn
from specgrad.autograd import Function, grad
from specgrad.distributions import Categorical, Normal, kl_divergence
from specgrad.func import functional_call, jacrev, vmap
from specgrad.nn.parameter import Parameter
from specgrad.nn.utils import clip_grad_norm_
from specgrad.optim import SGD, AdamW, Optimizer
from specgrad.optim.lr_scheduler import CosineAnnealingLR, LambdaLR, StepLR
from specgrad.utils.data import DataLoader, Dataset, TensorDataset, random_split


def creation() -> Tensor:
    a = torch.zeros(2, 3)
    b = torch.ones((2, 3), dtype=torch.float64, device="cpu")
    c = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
    d = torch.arange(6).reshape(2, 3).float()
    e = torch.linspace(0, 1, steps=3).expand(2, -1)
    f = torch.full((2, 3), 0.5) + torch.eye(2, 3) + torch.empty_like(a).fill_(1)
    g = torch.randn(2, 3, generator=torch.Generator().manual_seed(0)) + torch.rand(2, 3)
    h = torch.from_numpy(np.ones((2, 3), np.float32)) + torch.as_tensor([1, 2, 3])
    i = torch.randint(0, 10, (2, 3)) + torch.randperm(3) + torch.zeros_like(a, dtype=torch.long)
    j = torch.full_like(a, math.pi) + a.new_zeros(2, 3) + a.new_tensor([1.0, 2.0, 3.0])
    k = torch.stack([a, d]).sum(0) + torch.cat((a, d), dim=0)[:2] + torch.where(a > 0, a, d)
    return a + b + c + d + e + f + g + h + i + j + k


def attributes(x: Tensor) -> dict[str, object]:
    rows, columns = x.shape
    size: int = x.size(0) * x.shape[-1]
    dtype: torch.dtype = x.dtype
    device: torch.device = x.device
    count: int = x.numel() + x.dim() + x.ndim + len(x) + x.element_size()
    first = x.grad
    if first is not None:
        first.zero_()
    scalar = x.sum().item() + float(x.mean()) + int(x[0, 0])
    array: np.ndarray = x.detach().cpu().numpy()
    step: tuple[int, ...] = x.stride()
    on_device = x.to(device).to("cpu", torch.float32).to(dtype=torch.float64).to(x)
    types = x.float(), x.double(), x.half(), x.long(), x.int(), x.bool(), x.type(torch.float32), x.type_as(x)
    flags: list[bool] = [x.requires_grad, x.is_leaf, x.is_contiguous(), x.is_floating_point(), x.is_cuda]
    wide = torch.finfo(dtype).max > torch.iinfo(torch.int32).max and dtype.is_floating_point
    shapes = x.T.shape, x.mT.shape, torch.Size([rows, columns]).numel(), x.data.shape
    return {
        "size": size,
        "others": (count, scalar, array, step, on_device, types, flags, wide, shapes),
    }


def indexing(x: Tensor, index: Tensor) -> Tensor:
    x = x.clone()
    x[0] = 1.0
    x[:, 1] = x[:, 0]
    x[x > 2] = 0
    x[..., -1] += index[0]
    rows = x[index]
    return rows[:, None, ::2].squeeze(1) + x[[0, 1], 0:1] + x[(0, 1)] + x[torch.tensor([True, False])][0, :2]


def named_results(x: Tensor) -> Tensor:
    top = torch.topk(x, k=2, dim=1)
    values, indices = x.sort(dim=-1, descending=True)
    largest = x.max(dim=1).values + x.min(1, keepdim=True).values[:, 0] + x.max()
    q, r = torch.linalg.qr(x.T)
    u, s, vh = torch.linalg.svd(x, full_matrices=False)
    sign = torch.linalg.slogdet(x @ x.T).sign
    median = x.median(dim=1)[0] + x.mode(1).values + torch.kthvalue(x, 1).values
    deviation, mean = torch.std_mean(x, dim=1)
    parts = [*x.split(1, dim=0), *x.chunk(2), *x.unbind()]
    total = top.values.sum() + top.indices.sum() + values.mean() + indices.float().mean() + largest.sum()
    return total + (q @ r).sum() + (u * s).sum() + vh.sum() + sign + (median + deviation + mean).sum() + parts[0].sum()


def arithmetic(x: Tensor, y: Tensor) -> Tensor:
    z = (x + 1) * 2 - y / 3 + 2**x + x**2 + (1 - x) + (-y).abs() + x @ y.T @ y + x // 2 + x % 2
    z += torch.exp(-x.pow(2)) + x.clamp(min=0.0, max=1.0) + torch.sigmoid(x).log1p()
    z = z.masked_fill(z.isnan(), 0.0).where(z > -1e6, torch.zeros(()))
    mask = (x > 0) & ~(y <= 0.5) | (x == y)
    z = z + mask + torch.einsum("ij,kj->ik", x, y) @ x + x.add(y, alpha=2) + torch.matmul(x, y.transpose(0, 1)).mm(x)
    z = z.view(-1).view(2, 3).permute(1, 0).contiguous().unsqueeze(0).flatten(1).reshape(2, 3)
    return z.softmax(dim=-1).log_softmax(1) + z.mean(dim=(0, 1), keepdim=True) + z.norm() + z.var(dim=0) + z.cumsum(0)


class Batch(NamedTuple):
    image: Tensor
    label: Tensor


class Squares(Dataset[tuple[Tensor, Tensor]]):
    def __init__(self, count: int) -> None:
        self.inputs = torch.linspace(-1, 1, count).unsqueeze(1)

    def __len__(self) -> int:
        return len(self.inputs)

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        return self.inputs[index], self.inputs[index] ** 2


class Block(nn.Module):
    scale: Tensor

    def __init__(self, width: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.attention = nn.MultiheadAttention(width, num_heads=2, dropout=dropout, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width, bias=False))
        self.gain = Parameter(torch.ones(width))
        self.register_buffer("scale", torch.tensor(0.5))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        y = self.norm(x)
        attended, _ = self.attention(y, y, y, attn_mask=mask, need_weights=False)
        return x + self.scale * self.gain * self.mlp(attended)


class Net(nn.Module):
    def __init__(self, classes: int = 10) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 4, kernel_size=3, padding=1)
        self.norm = nn.BatchNorm2d(4)
        self.blocks = nn.ModuleList([Block(4) for _ in range(2)])
        self.head = nn.Linear(4, classes)

    def forward(self, image: Tensor) -> Tensor:
        x = F.max_pool2d(F.relu(self.norm(self.conv(image))), 2)
        x = x.flatten(2).transpose(1, 2)
        for block in self.blocks:
            x = block(x)
        return self.head(F.dropout(x.mean(dim=1), p=0.1, training=self.training))


def batches(count: int) -> Iterator[Batch]:
    for _ in range(count):
        yield Batch(torch.randn(2, 1, 4, 4), torch.randint(10, (2,)))


def train_classifier(model: nn.Module, steps: int = 1) -> list[float]:
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    decay = [p for p in model.parameters() if p.dim() > 1]
    rest = [p for name, p in model.named_parameters() if p.dim() <= 1 and name]
    groups = [{"params": decay, "weight_decay": 0.01}, {"params": rest, "weight_decay": 0.0}]
    optimizer = AdamW(groups, lr=1e-3, betas=(0.9, 0.99))
    scheduler = CosineAnnealingLR(optimizer, T_max=10)
    losses: list[float] = []
    model.train()
    for batch in batches(steps):
        optimizer.zero_grad(set_to_none=True)
        loss = criterion(model(batch.image), batch.label)
        loss.backward()
        clip_grad_norm_(model.parameters(), max_norm=1.0)
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())
    model.eval()
    with torch.no_grad():
        for batch in batches(1):
            prediction = model(batch.image).argmax(dim=1)
            losses.append((prediction == batch.label).float().mean().item())
    return losses


def train_regression(device: torch.device) -> float:
    model = nn.Sequential(OrderedDict([("in", nn.Linear(1, 8)), ("act", nn.Tanh()), ("out", nn.Linear(8, 1))])).to(
        device
    )
    optimizer: Optimizer = SGD(model.parameters(), lr=0.1, momentum=0.9, nesterov=True)
    schedulers = [StepLR(optimizer, step_size=5, gamma=0.5), LambdaLR(optimizer, lambda epoch: 0.95**epoch)]
    train, test = random_split(Squares(20), [16, 4])
    loader = DataLoader(train, batch_size=8, shuffle=True)
    total = 0.0
    for _ in range(2):
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            optimizer.zero_grad()
            loss = F.mse_loss(model(x), y, reduction="mean")
            loss.backward()
            optimizer.step()
            total += loss.item() * x.size(0)
        for scheduler in schedulers:
            scheduler.step()
    weights: dict[str, Any] = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
    model.load_state_dict(weights["model"], strict=True)
    plain = DataLoader(TensorDataset(torch.zeros(4, 1), torch.ones(4)), batch_size=2, drop_last=True)
    return total / len(loader) + len(plain) + len(test) + optimizer.param_groups[0]["lr"]


class Cube(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, scale: float) -> Tensor:
        ctx.save_for_backward(x)
        ctx.scale = scale
        return scale * x**3

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> tuple[Tensor, None]:
        (x,) = ctx.saved_tensors
        return 3 * ctx.scale * x**2 * grad_output, None


def gradients(x: Tensor) -> Tensor:
    x = x.detach().requires_grad_()
    y = Cube.apply(x, 2.0).sum()
    (first,) = grad(y, x, create_graph=True)
    second = torch.autograd.grad(first.sum(), [x])[0]
    x.register_hook(lambda g: g * 2)
    (x * first.detach()).sum().backward(retain_graph=False)
    assert x.grad is not None
    return second + x.grad


def distributions() -> Tensor:
    normal = Normal(torch.zeros(2), torch.ones(2))
    sample = normal.rsample((3,))
    policy = Categorical(logits=torch.randn(3, 4))
    action = policy.sample()
    divergence = kl_divergence(normal, Normal(0.0, 2.0))
    return policy.log_prob(action).sum() + normal.log_prob(sample).mean() + policy.entropy().sum() + divergence.sum()


def transforms(model: nn.Module) -> Tensor:
    weights = dict(model.named_parameters())

    def loss(parameters: dict[str, Tensor], x: Tensor) -> Tensor:
        return functional_call(model, parameters, (x,)).square().sum()

    per_sample = vmap(torch.func.grad(loss), in_dims=(None, 0))(weights, torch.randn(3, 1))
    jacobian = jacrev(torch.sin)(torch.ones(2))
    return jacobian.sum() + sum(value.sum() for value in per_sample.values())


def modes(x: Tensor, function: Callable[[Tensor], Tensor]) -> Tensor:
    with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16, enabled=False):
        y = function(x)

    @torch.no_grad()
    def evaluate(z: Tensor) -> Tensor:
        return z * 2

    torch.manual_seed(0)
    torch.set_default_dtype(torch.float32)
    nn.init.xavier_uniform_(torch.empty(2, 3))
    nn.init.constant_(torch.empty(2), 0.1)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    return evaluate(y).to(device) + torch.fft.fft(x).real.to(device) + torch.special.expit(x)


def main() -> None:
    torch.manual_seed(0)
    x, y = torch.randn(2, 3), torch.rand(2, 3)
    tensors = [
        *(creation(), indexing(x, torch.tensor([0, 1])), named_results(x), arithmetic(x, y)),
        *(gradients(x), distributions(), transforms(nn.Linear(1, 1)), modes(x, F.silu)),
    ]
    assert all(tensor.isfinite().all() for tensor in tensors)
    assert all(math.isfinite(loss) for loss in train_classifier(Net()))
    assert math.isfinite(train_regression(torch.device("cpu")))
    assert attributes(x)["size"] == 6


if __name__ == "__main__":
    main()
