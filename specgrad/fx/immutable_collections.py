"""Lists and dicts of arguments under PyTorch's name."""

from ..nn.fx.immutable_collections import immutable_dict, immutable_list

__all__ = ["immutable_dict", "immutable_list"]
