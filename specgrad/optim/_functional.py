"""Optimizers as functions under PyTorch's name; the code is in specgrad.nn.optim.functional."""

from ..nn.optim.adadelta import adadelta
from ..nn.optim.adagrad import adagrad
from ..nn.optim.adam import adam
from ..nn.optim.adamax import adamax
from ..nn.optim.adamw import adamw
from ..nn.optim.asgd import asgd
from ..nn.optim.nadam import nadam
from ..nn.optim.radam import radam
from ..nn.optim.rmsprop import rmsprop
from ..nn.optim.rprop import rprop
from ..nn.optim.sgd import sgd

__all__ = [
    "adadelta",
    "adagrad",
    "adam",
    "adamax",
    "adamw",
    "asgd",
    "nadam",
    "radam",
    "rmsprop",
    "rprop",
    "sgd",
]
