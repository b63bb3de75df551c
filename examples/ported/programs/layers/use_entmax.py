"""entmax: sparsemax, entmax and their losses, with gradients."""

import torch
from entmax import Entmax15Loss, SparsemaxLoss, entmax15, entmax_bisect, normmax_bisect, sparsemax
from fixed import numbers, show

x = numbers(4, 6).requires_grad_()
for function in (sparsemax, entmax15, entmax_bisect, normmax_bisect):
    out = function(x, dim=-1)
    show(function.__name__, out)
    (gradient,) = torch.autograd.grad((out * numbers(4, 6).cos()).sum(), x)
    show("gradient", gradient)
for loss in (SparsemaxLoss, Entmax15Loss):
    show(loss.__name__, loss(reduction="sum")(x, torch.tensor([0, 2, 5, 1])))
