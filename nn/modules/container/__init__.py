"""Modules that hold others, and parameters, in order or by name."""

from ..module.base import Module as Module  # programs import it from here
from .modules import Container, ModuleDict, ModuleList, Sequential
from .parameters import ParameterDict, ParameterList

__all__ = ["Container", "ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]
