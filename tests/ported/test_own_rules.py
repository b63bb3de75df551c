"""Optimizers and schedules that scripts define themselves; the numbers are what PyTorch 2.13 gives."""

import copy
import math
from typing import Any

import specgrad as torch
from specgrad import nn
from specgrad.optim.lr_scheduler import _LRScheduler
from specgrad.optim.optimizer import Optimizer

from .numbers import close, fixed, train


class Warmup(_LRScheduler):
    """A schedule as programs write it: up along a line, down along a cosine."""

    def __init__(self, optimizer: Any, warmup: int, total: int, last_epoch: int = -1) -> None:
        self.warmup = warmup
        self.total = total
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        assert self._get_lr_called_within_step
        if self.last_epoch < self.warmup:
            return [base * (self.last_epoch + 1) / self.warmup for base in self.base_lrs]
        done = (self.last_epoch - self.warmup) / (self.total - self.warmup)
        return [base * 0.5 * (1 + math.cos(math.pi * done)) for base in self.base_lrs]


class Lion(Optimizer):
    """An optimizer as programs write it."""

    def __init__(self, params: Any, lr: float = 1e-4, betas: Any = (0.9, 0.99), weight_decay: float = 0.0) -> None:
        super().__init__(params, {"lr": lr, "betas": betas, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: Any = None) -> Any:
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in filter(lambda p: p.grad is not None, group["params"]):
                p.data.mul_(1 - group["lr"] * group["weight_decay"])
                state = self.state[p]
                if len(state) == 0:
                    state["exp_avg"] = torch.zeros_like(p)
                beta1, beta2 = group["betas"]
                update = state["exp_avg"] * beta1 + p.grad * (1 - beta1)
                p.add_(torch.sign(update), alpha=-group["lr"])
                state["exp_avg"].mul_(beta2).add_(p.grad, alpha=1 - beta2)
        return loss


def test_rules_of_ones_own() -> None:
    """Optimizers and schedules that programs define, also from a state that is loaded."""
    model = fixed(nn.Linear(3, 1))
    optimizer = Lion(model.parameters(), lr=0.01, weight_decay=0.1)
    scheduler = Warmup(optimizer, 2, 8)
    train(model, optimizer, scheduler, 4)
    optimizer.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    assert [train(model, optimizer, scheduler, 2), scheduler.get_last_lr()[0]] == close([0.16382819, 0.0025])
