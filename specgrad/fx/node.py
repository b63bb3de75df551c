"""Nodes under PyTorch's name."""

from ..nn.fx.aggregates import map_aggregate, map_arg
from ..nn.fx.node import Argument, Node, Target, has_side_effect

__all__ = ["Argument", "Target", "Node", "has_side_effect", "map_aggregate", "map_arg"]
