"""Learn the gain of a norm of rows from its results.

Exits with 1 when a gain is off by more than a hundredth.
"""

import sys

import norm_ops

import specgrad as torch


def main() -> int:
    torch.manual_seed(0)
    right = torch.rand(6) + 0.2
    rows = torch.randn(256, 6)
    output_mask = norm_ops.gained_rms(rows, right)
    gain = torch.ones(6, requires_grad=True)
    optimizer = torch.optim.Adam([gain], lr=0.05)
    for _ in range(200):
        optimizer.zero_grad()
        loss = (norm_ops.gained_rms(rows, gain) - output_mask).square().mean()
        loss.backward()
        optimizer.step()
    off = (gain.detach() - right).abs().max().item()
    print(f"loss {loss.item():.2e}, largest error of a gain {off:.4f}")
    return 0 if off < 0.01 else 1


if __name__ == "__main__":
    sys.exit(main())
