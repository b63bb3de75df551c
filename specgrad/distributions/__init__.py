"""Probability distributions under PyTorch's name; the code is in specgrad.nn.distributions."""

from ..moved import modules_of as _modules_of
from ..nn import distributions as _distributions
from ..nn.distributions import *
from ..runtime.arguments import guard_module as _guard_module

__all__: list[str] = []
__all__ += _distributions.__all__

_GUARDED = (_distributions.kl, _distributions.constraints, _distributions.parameters)
for _name in (__name__, *(_module.__name__ for _module in _GUARDED)):  # the same functions under both names
    _guard_module(_name)

__getattr__ = _modules_of(__name__)
