"""Numbers that need no random generator, so that two libraries compute with the same ones."""

import torch


def numbers(*shape, scale=1.0):
    """A tensor of numbers between -scale and scale that depend on the shape alone, and look as if they were random."""
    count = 1
    for n in shape:
        count *= n
    digits = (torch.arange(count, dtype=torch.float64) * 12.9898 + 0.5).sin().mul(43758.5453)
    return (digits - digits.floor()).mul(2 * scale).sub(scale).float().reshape(shape)


def filled(module):
    """The module with parameters that depend on their shapes alone, and without dropout."""
    for part in module.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = 0.0
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            if not parameter.is_floating_point():
                continue
            if parameter.dim() > 1:
                scale = 1.5 * (parameter[0].numel()) ** -0.5
                parameter.copy_(numbers(*parameter.shape, scale=scale))
            elif name.endswith("weight"):
                parameter.copy_(1 + numbers(*parameter.shape, scale=0.1))
            else:
                parameter.copy_(numbers(*parameter.shape, scale=0.1))
    return module


def show(name, value):
    """One line for the runner to compare: a name and numbers."""
    if isinstance(value, torch.Tensor):
        value = value.detach().double().reshape(-1)
        picked = value[:: max(1, value.numel() // 5)][:6].tolist()
        value = [*picked, value.abs().mean().item() if value.numel() else 0.0]
    elif isinstance(value, (int, float)):
        value = [float(value)]
    print(name, *[f"{float(v):.6g}" for v in value], flush=True)


def trained(module, compute, steps=4, optimizer=None, lr=0.01):
    """Losses of a few steps, and the sum of what the parameters are then."""
    optimizer = optimizer or torch.optim.SGD(module.parameters(), lr=lr, momentum=0.9)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = compute()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    show("losses", losses)
    show("parameters", sum(p.detach().double().abs().sum() for p in module.parameters()).item())
