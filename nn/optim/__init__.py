"""Optimizers: rules that change parameters along their gradients; `lr_scheduler` changes the rules' step sizes."""

from . import lr_scheduler, swa_utils
from .adagrad import Adadelta, Adafactor, Adagrad
from .adam import Adam, Adamax, AdamW, NAdam
from .adam_variants import Muon, RAdam, SparseAdam
from .lbfgs import LBFGS
from .optimizer import Optimizer
from .sgd import ASGD, SGD, RMSprop, Rprop

__all__ = [
    "ASGD",
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Muon",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "SparseAdam",
    "lr_scheduler",
    "swa_utils",
]
