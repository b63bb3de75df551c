"""pytorch-optimizer: a choice of its optimizers, on a small regression."""

from fixed import filled, numbers, trained
from pytorch_optimizer import load_optimizer
from torch import nn

x, y = numbers(16, 4), numbers(16, 2)
for name in (
    "adabelief",
    "adan",
    "adamp",
    "adanorm",
    "adapnm",
    "adai",
    "amos",
    "apollo",
    "avagrad",
    "diffgrad",
    "fromage",
    "lamb",
    "lars",
    "lion",
    "madgrad",
    "nero",
    "novograd",
    "pnm",
    "prodigy",
    "qhadam",
    "qhm",
    "radam",
    "ranger",
    "ranger21",
    "scalableshampoo",
    "sgdp",
    "signsgd",
    "sophiah",
    "srmm",
    "swats",
    "tiger",
    "yogi",
    "cautious",
    "ademamix",
    "soap",
    "grams",
):
    model = filled(nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2)))
    try:
        kind = load_optimizer(name)
        optimizer = kind(model.parameters(), lr=0.01, **({"num_iterations": 10} if name == "ranger21" else {}))
    except (NotImplementedError, TypeError, ValueError) as error:
        print(name, "refused:", type(error).__name__)
        continue
    print(name)
    try:
        trained(model, lambda: nn.functional.mse_loss(model(x), y), optimizer=optimizer, steps=3)
    except (RuntimeError, ValueError):
        print(name, "stops")
