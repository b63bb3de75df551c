"""Optimizers, schedules and weights that are computed, as scripts use them; the numbers are what PyTorch 2.13 gives."""

from io import BytesIO
from typing import Any

import specgrad as torch
from specgrad import nn
from specgrad.nn import functional as F
from specgrad.optim.lr_scheduler import LambdaLR, OneCycleLR, SequentialLR
from specgrad.optim.swa_utils import SWALR, AveragedModel, get_ema_multi_avg_fn, update_bn

from .numbers import close, fixed, numbers, train


def test_warmup_of_transformers() -> None:
    """Noam's schedule with Adam, label smoothing, clipping and gradients set to None."""
    model = fixed(nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3)))
    optimizer = torch.optim.Adam(model.parameters(), lr=1, betas=(0.9, 0.98), eps=1e-9)
    scheduler = LambdaLR(optimizer, lambda step: 8**-0.5 * min((step + 1) ** -0.5, (step + 1) * 10**-1.5))
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    x, y = numbers(16, 4), torch.arange(16) % 3
    for _ in range(15):
        optimizer.zero_grad(set_to_none=True)
        loss = criterion(model(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
    assert [loss.item(), scheduler.get_last_lr()[0]] == close([1.0428915, 0.08838835])


def test_groups_with_one_cycle() -> None:
    """No decay of biases and norms, a schedule in every batch with a maximum per group, betas that move with it."""
    model = fixed(nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.Linear(8, 1)))
    decay = [p for p in model.parameters() if p.ndim > 1]
    rest = [p for p in model.parameters() if p.ndim <= 1]
    groups = [{"params": decay, "weight_decay": 0.1}, {"params": rest, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=1e-2, betas=(0.9, 0.95))
    scheduler = OneCycleLR(optimizer, max_lr=[1e-2, 2e-2], epochs=3, steps_per_epoch=5)
    x = numbers(16, 4)
    for _ in range(15):
        loss = F.mse_loss(model(x).squeeze(-1), x.sum(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        last = [group["lr"] for group in optimizer.param_groups], optimizer.param_groups[0]["betas"][0]
        scheduler.step()
    assert [loss.item(), *last[0], last[1]] == close([0.1134379, 4e-08, 8e-08, 0.95])


def _parts() -> tuple[Any, Any, Any]:
    model = fixed(nn.Linear(3, 1))
    optimizer = torch.optim.RMSprop(model.parameters(), lr=0.01, momentum=0.9, centered=True)
    warmup = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.1, total_iters=3)
    main = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[2, 4], gamma=0.1)
    return model, optimizer, SequentialLR(optimizer, schedulers=[warmup, main], milestones=[3])


def test_checkpoint() -> None:
    """Model, optimizer and a warmup with milestones are saved, and training goes on in another program."""
    first, second = _parts(), _parts()
    train(*first, 4)
    file = BytesIO()
    torch.save({name: part.state_dict() for name, part in zip("mos", first, strict=True)}, file)
    file.seek(0)
    for part, state in zip(second, torch.load(file, weights_only=True).values(), strict=True):
        part.load_state_dict(state)
    losses = [train(*first, 4), train(*second, 4)]
    assert losses[0] == losses[1] == close(0.24208228)


def test_style_transfer() -> None:
    """L-BFGS on an image that the closure keeps in bounds."""
    image, target = numbers(1, 3, 4, 4).requires_grad_(), numbers(48).flip(0).reshape(1, 3, 4, 4)
    optimizer, losses = torch.optim.LBFGS([image]), []
    while len(losses) < 20:

        def closure() -> Any:
            with torch.no_grad():
                image.clamp_(0, 1)
            optimizer.zero_grad()
            loss = ((image - target) ** 2).sum()
            loss.backward()
            losses.append(loss.item())
            return loss

        optimizer.step(closure)
    assert losses[:3] == close([45.164841, 43.140594, 12.065921])


def test_adversarial_networks() -> None:
    """A discriminator with spectral norm and one with weight norm, losses on detached and on live samples."""
    generator = fixed(nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 2)))
    norm = nn.utils.parametrizations
    evaluate_mutant = nn.Sequential(
        norm.spectral_norm(nn.Linear(2, 8)), nn.LeakyReLU(0.2), norm.weight_norm(nn.Linear(8, 1)), nn.Flatten(0)
    )
    fixed(evaluate_mutant)
    with torch.no_grad():
        for buffer in evaluate_mutant.buffers():
            buffer.fill_(buffer.numel() ** -0.5)
    optimizers = [torch.optim.Adam(m.parameters(), lr=2e-2, betas=(0.5, 0.999)) for m in (generator, evaluate_mutant)]
    criterion, real = nn.BCEWithLogitsLoss(), numbers(8, 2) + 2
    for _ in range(5):
        fake = generator(numbers(16).flip(0).reshape(8, 2))
        evaluate_mutant.zero_grad()
        loss = criterion(evaluate_mutant(real), torch.ones(8)) + criterion(
            evaluate_mutant(fake.detach()), torch.zeros(8)
        )
        loss.backward()
        optimizers[1].step()
        generator.zero_grad()
        fooled = criterion(evaluate_mutant(fake), torch.ones(8))
        fooled.backward()
        optimizers[0].step()
    assert [loss.item(), fooled.item()] == close([1.3628125, 0.6216565])


def test_averaged_model() -> None:
    """An exponential average of the model, a constant step size in the end, statistics of batches anew."""
    model = fixed(nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1)))
    averaged = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.9))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    scheduler, x = SWALR(optimizer, swa_lr=0.01, anneal_epochs=3), numbers(8, 3)
    for epoch in range(8):
        loss = (model(x) - 1).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        averaged.update_parameters(model)
        if epoch > 4:
            scheduler.step()
    update_bn([x], averaged)
    assert [averaged.eval()(x).mean().item(), scheduler.get_last_lr()[0]] == close([0.7593580, 0.01])


def test_learning_the_learning_rate() -> None:
    """A step that gradients flow through, from the loss after it to the step size and the start."""
    start, lr, x = numbers(1, 3).requires_grad_(), torch.tensor(0.1, requires_grad=True), numbers(8, 3)
    weight = start.clone()
    optimizer = torch.optim.Adam([weight], lr=lr, differentiable=True)
    weight.grad = torch.autograd.grad(F.linear(x, weight).pow(2).mean(), weight, create_graph=True)[0]
    optimizer.step()
    F.linear(x, weight).pow(2).mean().backward()
    assert [lr.grad.item(), *start.grad.flatten().tolist()] == close([-2.0817327, 0.5122276, 0.8406622, -0.7288570])
