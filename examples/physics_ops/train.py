"""Learn how well heat flows between the points of a rod, from temperatures before and after ten steps.

Exits with 1 when a conductivity is off by more than 0.01.
"""

import sys

import physics_ops

import specgrad as torch

POINTS, RODS, STEPS = 12, 64, 10
physics_ops.register()  # from here on a tensor has the methods heat_step, squareplus, ...


def after(rods: torch.Tensor, conductivity: torch.Tensor) -> torch.Tensor:
    """The rods after all steps."""
    for _ in range(STEPS):
        rods = rods.heat_step(conductivity)
    return rods


def main() -> int:
    torch.manual_seed(0)
    before, right = torch.randn(RODS, POINTS), torch.rand(POINTS - 1) * 0.3 + 0.1
    output_mask = after(before, right)
    raw = torch.zeros(POINTS - 1, requires_grad=True)
    optimizer = torch.optim.Adam([raw], lr=0.1)
    for _ in range(600):
        optimizer.zero_grad()
        loss = (after(before, raw.squareplus() / 10) - output_mask).square().mean()
        loss.backward()
        optimizer.step()
    error = (raw.detach().squareplus() / 10 - right).abs().max().item()
    print(f"loss {loss.item():.2e}, largest error of a conductivity {error:.4f}")
    return 0 if error < 0.01 else 1


if __name__ == "__main__":
    sys.exit(main())
