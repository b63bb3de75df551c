"""Learn a wave with a network of the package's activations, one of which learns too.

Exits with 1 when the loss has not fallen to a hundredth.
"""

import sys

import activation_ops

import specgrad as torch
from specgrad import nn

activation_ops.register()  # from here on a tensor has the methods swish, ..., and nn.functional the functions


def main() -> int:
    torch.manual_seed(0)
    x = torch.linspace(-3, 3, 128).unsqueeze(1)
    output_mask = torch.sin(2 * x)
    hidden = nn.Linear(1, 32), activation_ops.Swish(32), nn.Linear(32, 32), activation_ops.CubicRoot(0.5)
    network = nn.Sequential(*hidden, nn.Linear(32, 1))
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    losses = []
    for _ in range(400):
        optimizer.zero_grad()
        loss = nn.functional.log_cosh(network(x) - output_mask).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    betas = network[1].beta
    print(f"loss {losses[0]:.2e}, then {losses[-1]:.2e}; learned betas from {betas.min():.2f} to {betas.max():.2f}")
    return 0 if losses[-1] < losses[0] / 100 else 1


if __name__ == "__main__":
    sys.exit(main())
