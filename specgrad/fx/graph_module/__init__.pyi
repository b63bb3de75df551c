"""PyTorch's `torch.fx.graph_module`, by names: written from `torch_names.py`."""

from specgrad.nn.fx.graph_module import AttributesOnly, copy_attribute
from specgrad.nn.fx.graph_module import GraphModule as GraphModule

_CodeOnlyModule = AttributesOnly
_copy_attr = copy_attribute
_USER_PRESERVED_ATTRIBUTES_KEY: str
