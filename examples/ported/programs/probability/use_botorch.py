"""botorch: a Gaussian process fitted, and expected improvement."""

import torch
from botorch.acquisition import LogExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from fixed import numbers, show
from gpytorch.mlls import ExactMarginalLogLikelihood

x = numbers(10, 2).double() * 0.5 + 0.5
y = x.sin().sum(-1, keepdim=True) - x.pow(2).sum(-1, keepdim=True)
model = SingleTaskGP(x, y)
fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
show("improvement", LogExpectedImprovement(model, best_f=y.max())(torch.tensor([[[0.3, 0.4]], [[0.6, 0.2]]]).double()))
