"""PyTorch's `torch.fx.immutable_collections`, by names: written from `torch_names.py`."""

from specgrad.nn.fx.node_arguments import immutable_dict as immutable_dict
from specgrad.nn.fx.node_arguments import immutable_list as immutable_list
