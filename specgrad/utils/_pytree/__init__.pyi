"""PyTorch's `torch.utils._pytree`, by names: written from `torch_names.py`."""

from typing import Any

from specgrad.runtime.extensions.pytree.maps import map_only as map_only
from specgrad.runtime.extensions.pytree.maps import tree_all as tree_all
from specgrad.runtime.extensions.pytree.maps import tree_all_only as tree_all_only
from specgrad.runtime.extensions.pytree.maps import tree_any as tree_any
from specgrad.runtime.extensions.pytree.maps import tree_any_only as tree_any_only
from specgrad.runtime.extensions.pytree.maps import tree_flatten_with_path as tree_flatten_with_path
from specgrad.runtime.extensions.pytree.maps import tree_leaves_with_path as tree_leaves_with_path
from specgrad.runtime.extensions.pytree.maps import tree_map as tree_map
from specgrad.runtime.extensions.pytree.maps import tree_map_ as tree_map_
from specgrad.runtime.extensions.pytree.maps import tree_map_only as tree_map_only
from specgrad.runtime.extensions.pytree.maps import tree_map_only_ as tree_map_only_
from specgrad.runtime.extensions.pytree.maps import tree_map_with_path as tree_map_with_path
from specgrad.runtime.extensions.pytree.registry import SUPPORTED_NODES as SUPPORTED_NODES
from specgrad.runtime.extensions.pytree.registry import GetAttrKey as GetAttrKey
from specgrad.runtime.extensions.pytree.registry import MappingKey as MappingKey
from specgrad.runtime.extensions.pytree.registry import NodeDef as NodeDef
from specgrad.runtime.extensions.pytree.registry import SequenceKey as SequenceKey
from specgrad.runtime.extensions.pytree.registry import deregister_pytree_node, node_type, register_named_tuple
from specgrad.runtime.extensions.pytree.registry import is_namedtuple as is_namedtuple
from specgrad.runtime.extensions.pytree.registry import is_namedtuple_class as is_namedtuple_class
from specgrad.runtime.extensions.pytree.registry import is_namedtuple_instance as is_namedtuple_instance
from specgrad.runtime.extensions.pytree.registry import key_get as key_get
from specgrad.runtime.extensions.pytree.registry import keystr as keystr
from specgrad.runtime.extensions.pytree.registry import register_dataclass as register_dataclass
from specgrad.runtime.extensions.pytree.registry import register_pytree_node as register_pytree_node
from specgrad.runtime.extensions.pytree.structure import LeafSpec as LeafSpec
from specgrad.runtime.extensions.pytree.structure import TreeSpec as TreeSpec
from specgrad.runtime.extensions.pytree.structure import arg_tree_leaves as arg_tree_leaves
from specgrad.runtime.extensions.pytree.structure import broadcast_to_and_flatten
from specgrad.runtime.extensions.pytree.structure import tree_flatten as tree_flatten
from specgrad.runtime.extensions.pytree.structure import tree_is_leaf as tree_is_leaf
from specgrad.runtime.extensions.pytree.structure import tree_iter as tree_iter
from specgrad.runtime.extensions.pytree.structure import tree_leaves as tree_leaves
from specgrad.runtime.extensions.pytree.structure import tree_structure as tree_structure
from specgrad.runtime.extensions.pytree.structure import tree_unflatten as tree_unflatten
from specgrad.runtime.extensions.pytree.structure import treespec_dict as treespec_dict
from specgrad.runtime.extensions.pytree.structure import treespec_dumps as treespec_dumps
from specgrad.runtime.extensions.pytree.structure import treespec_leaf as treespec_leaf
from specgrad.runtime.extensions.pytree.structure import treespec_loads as treespec_loads
from specgrad.runtime.extensions.pytree.structure import treespec_pprint as treespec_pprint
from specgrad.runtime.extensions.pytree.structure import treespec_tuple as treespec_tuple

_deregister_pytree_node = deregister_pytree_node
_get_node_type = node_type
_is_namedtuple_instance = is_namedtuple_instance
_register_namedtuple = register_named_tuple
_register_pytree_node = register_pytree_node
_broadcast_to_and_flatten = broadcast_to_and_flatten
_is_leaf = tree_is_leaf
PyTreeSpec = TreeSpec
Context: Any
PyTree: Any

def __getattr__(name: str) -> Any: ...
