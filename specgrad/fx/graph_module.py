"""GraphModule under PyTorch's name, and what libraries that derive from it import beside."""

from ..nn.fx.graph_module import AttributesOnly as _CodeOnlyModule
from ..nn.fx.graph_module import GraphModule
from ..nn.fx.graph_module import copy_attribute as _copy_attr

_USER_PRESERVED_ATTRIBUTES_KEY = "_user_preserved_attributes"  # in the `meta` of a module

__all__ = ["_USER_PRESERVED_ATTRIBUTES_KEY", "GraphModule", "_CodeOnlyModule", "_copy_attr"]
