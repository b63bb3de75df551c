"""Learn with what weights rows were summed up, from the results, by the power mean of what is wrong with them.

Exits with 1 when a weight is off by more than a hundredth.
"""

import sys

import row_ops

import specgrad as torch

row_ops.register()  # from here on a tensor has the methods power_mean, weighted_logsumexp, ...


def main() -> int:
    torch.manual_seed(0)
    right = torch.rand(6) + 0.2
    rows = torch.randn(256, 6) * 2
    output_mask = rows.weighted_logsumexp(right)
    raw = torch.zeros(6, requires_grad=True)
    optimizer = torch.optim.Adam([raw], lr=0.05)
    for _ in range(300):
        optimizer.zero_grad()
        error = rows.weighted_logsumexp(raw.exp()) - output_mask
        loss = (error.abs() + 1e-3).power_mean(2.0)
        loss.backward()
        optimizer.step()
    off = (raw.detach().exp() - right).abs().max().item()
    print(f"loss {loss.item():.2e}, largest error of a weight {off:.4f}")
    return 0 if off < 0.01 else 1


if __name__ == "__main__":
    sys.exit(main())
