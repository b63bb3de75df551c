"""Modules that hold others, and parameters, in order or by name."""

from .modules import Container, ModuleDict, ModuleList, Sequential
from .parameters import ParameterDict, ParameterList

__all__ = ["Container", "ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]
