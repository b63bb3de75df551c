"""Data sets and loaders under PyTorch's name; the code is in specgrad.nn.data."""

from ..nn.data import *
