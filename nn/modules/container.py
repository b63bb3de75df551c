"""Containers under PyTorch's module path; the code is one folder up."""

from ..container import ModuleList, Sequential
from ..dict_container import ModuleDict, ParameterDict
from ..older_layers import Container
from ..parameter_list import ParameterList

__all__ = ["Container", "ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]
