"""Schedulers: rules that change the step sizes of an optimizer's groups from epoch to epoch."""

from .base import LambdaLR, LRScheduler, MultiplicativeLR, _LRScheduler
from .base import _enable_get_lr_call as _enable_get_lr_call  # programs import it
from .cosine import CosineAnnealingLR, CosineAnnealingWarmRestarts, OneCycleLR
from .cyclic import CyclicLR
from .plateau import ChainedScheduler, ReduceLROnPlateau, SequentialLR
from .steps import ConstantLR, ExponentialLR, LinearLR, MultiStepLR, PolynomialLR, StepLR

__all__ = [
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
    "_LRScheduler",
]
