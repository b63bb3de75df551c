"""Trees of containers under PyTorch's name, `torch.utils._pytree`; the code is in
specgrad.runtime.extensions.pytree.
"""

from collections import OrderedDict as _OrderedDict
from collections import defaultdict as _defaultdict
from collections import deque as _deque
from collections import namedtuple as _namedtuple

from ..runtime.extensions.pytree.json import treespec_dumps, treespec_loads
from ..runtime.extensions.pytree.maps import (
    map_only,
    tree_all,
    tree_all_only,
    tree_any,
    tree_any_only,
    tree_flatten_with_path,
    tree_leaves_with_path,
    tree_map,
    tree_map_,
    tree_map_only,
    tree_map_only_,
    tree_map_with_path,
)
from ..runtime.extensions.pytree.registry import (
    SUPPORTED_NODES,
    GetAttrKey,
    MappingKey,
    NodeDef,
    SequenceKey,
    is_namedtuple,
    is_namedtuple_class,
    is_namedtuple_instance,
    key_get,
    keystr,
    register_dataclass,
    register_pytree_node,
)
from ..runtime.extensions.pytree.registry import deregister_pytree_node as _deregister_pytree_node  # noqa: F401
from ..runtime.extensions.pytree.registry import is_namedtuple_instance as _is_namedtuple_instance  # noqa: F401
from ..runtime.extensions.pytree.registry import node_type as _get_node_type  # noqa: F401
from ..runtime.extensions.pytree.registry import register_named_tuple as _register_namedtuple  # noqa: F401
from ..runtime.extensions.pytree.registry import register_pytree_node as _register_pytree_node  # noqa: F401
from ..runtime.extensions.pytree.structure import (
    LeafSpec,
    TreeSpec,
    arg_tree_leaves,
    tree_flatten,
    tree_is_leaf,
    tree_iter,
    tree_leaves,
    tree_structure,
    tree_unflatten,
    treespec_dict,
    treespec_leaf,
    treespec_pprint,
    treespec_tuple,
)
from ..runtime.extensions.pytree.structure import broadcast_to_and_flatten as _broadcast_to_and_flatten  # noqa: F401
from ..runtime.extensions.pytree.structure import tree_is_leaf as _is_leaf  # noqa: F401
from ..runtime.methods.argument_guard import guard_module as _guard_module

_tuple_flatten, _tuple_unflatten, _tuple_flatten_with_keys = SUPPORTED_NODES[tuple][1:4]
_list_flatten, _list_unflatten, _list_flatten_with_keys = SUPPORTED_NODES[list][1:4]
_dict_flatten, _dict_unflatten, _dict_flatten_with_keys = SUPPORTED_NODES[dict][1:4]
_ordereddict_flatten, _ordereddict_unflatten, _ordereddict_flatten_with_keys = SUPPORTED_NODES[_OrderedDict][1:4]
_defaultdict_flatten, _defaultdict_unflatten, _defaultdict_flatten_with_keys = SUPPORTED_NODES[_defaultdict][1:4]
_deque_flatten, _deque_unflatten, _deque_flatten_with_keys = SUPPORTED_NODES[_deque][1:4]
_namedtuple_flatten, _namedtuple_unflatten, _namedtuple_flatten_with_keys = SUPPORTED_NODES[_namedtuple][1:4]
PyTree = Context = object
PyTreeSpec = TreeSpec

__all__ = [
    "SUPPORTED_NODES",
    "GetAttrKey",
    "LeafSpec",
    "MappingKey",
    "NodeDef",
    "PyTreeSpec",
    "SequenceKey",
    "TreeSpec",
    "arg_tree_leaves",
    "is_namedtuple",
    "is_namedtuple_class",
    "is_namedtuple_instance",
    "key_get",
    "keystr",
    "map_only",
    "register_dataclass",
    "register_pytree_node",
    "tree_all",
    "tree_all_only",
    "tree_any",
    "tree_any_only",
    "tree_flatten",
    "tree_flatten_with_path",
    "tree_is_leaf",
    "tree_iter",
    "tree_leaves",
    "tree_leaves_with_path",
    "tree_map",
    "tree_map_",
    "tree_map_only",
    "tree_map_only_",
    "tree_map_with_path",
    "tree_structure",
    "tree_unflatten",
    "treespec_dict",
    "treespec_dumps",
    "treespec_leaf",
    "treespec_loads",
    "treespec_pprint",
    "treespec_tuple",
]

_guard_module(__name__)
