"""Steps of optimizers over parameters that have their gradients: a few large ones, or many small ones."""

from .making import giving, leaves, plain
from .registering import workload

optimizer = workload("optimizer")
LARGE = ((512, 512),) * 4
SMALL = ((16, 16), (16,)) * 50


def parameters_of(torch, shapes):
    """Parameters, each with a gradient."""
    parameters = leaves(torch, *shapes)
    for parameter, gradient in zip(parameters, plain(torch, *shapes), strict=True):
        parameter.grad = gradient / 2
    return parameters


def optimizing(torch, shapes, make):
    """One step of an optimizer."""
    parameters = parameters_of(torch, shapes)
    made = make(parameters)
    return giving(lambda: made.step(), lambda: parameters)


@optimizer
def sgd_step(torch):
    """SGD with momentum over a million parameters in four tensors."""
    return optimizing(torch, LARGE, lambda p: torch.optim.SGD(p, lr=1e-4, momentum=0.9))


@optimizer
def sgd_step_multi(torch):
    """SGD with momentum over a hundred small tensors."""
    return optimizing(torch, SMALL, lambda p: torch.optim.SGD(p, lr=1e-4, momentum=0.9))


@optimizer
def adam_step(torch):
    """Adam over a million parameters in four tensors."""
    return optimizing(torch, LARGE, lambda p: torch.optim.Adam(p, lr=1e-4))


@optimizer
def adam_step_multi(torch):
    """Adam over a hundred small tensors."""
    return optimizing(torch, SMALL, lambda p: torch.optim.Adam(p, lr=1e-4))


@optimizer
def adamw_step(torch):
    """AdamW over a million parameters in four tensors."""
    return optimizing(torch, LARGE, lambda p: torch.optim.AdamW(p, lr=1e-4))


@optimizer
def adamw_step_multi(torch):
    """AdamW over a hundred small tensors."""
    return optimizing(torch, SMALL, lambda p: torch.optim.AdamW(p, lr=1e-4))


@optimizer
def adamw_step_amsgrad(torch):
    """AdamW with amsgrad over a million parameters in four tensors."""
    return optimizing(torch, LARGE, lambda p: torch.optim.AdamW(p, lr=1e-4, amsgrad=True))


@optimizer
def rmsprop_step(torch):
    """RMSprop over a million parameters in four tensors."""
    return optimizing(torch, LARGE, lambda p: torch.optim.RMSprop(p, lr=1e-4))


@optimizer
def rmsprop_step_multi(torch):
    """RMSprop over a hundred small tensors."""
    return optimizing(torch, SMALL, lambda p: torch.optim.RMSprop(p, lr=1e-4))


@optimizer
def adagrad_step(torch):
    """Adagrad over a million parameters in four tensors."""
    return optimizing(torch, LARGE, lambda p: torch.optim.Adagrad(p, lr=1e-4))


@optimizer
def clip_grad_norm(torch):
    """The norm of a million gradients in four tensors, scaled down to 1."""
    parameters = parameters_of(torch, LARGE)
    return lambda: torch.nn.utils.clip_grad_norm_(parameters, 1.0)


@optimizer
def clip_grad_norm_multi(torch):
    """The norm of the gradients of a hundred small tensors, scaled down to 1."""
    parameters = parameters_of(torch, SMALL)
    return lambda: torch.nn.utils.clip_grad_norm_(parameters, 1.0)
