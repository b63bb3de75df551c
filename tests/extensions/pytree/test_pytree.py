"""`utils._pytree`: trees of containers, and their structures as text."""

import dataclasses
import importlib
from collections import OrderedDict, defaultdict, deque, namedtuple
from types import ModuleType
from typing import Any

import pytest

import specgrad as sg

pytestmark = pytest.mark.cpu("containers are no tensors")
Point = namedtuple("Point", "x y")
TREES: list[Any] = [
    3,
    None,
    [],
    (),
    {},
    [1, (2, {"b": 3, "a": [4, None]})],
    OrderedDict(x=1, y=[2]),
    defaultdict(list, {"k": 3, "l": (4,)}),
    deque([1, [2]], maxlen=3),
    Point(1, [Point(2, 3)]),
]


@pytest.fixture
def trees(lib: ModuleType) -> Any:
    """The module of each library."""
    return importlib.import_module(f"{lib.__name__}.utils._pytree")


@pytest.mark.parametrize("tree", TREES, ids=str)
def test_back_and_forth(trees: Any, tree: Any) -> None:
    """A tree is made again of its leaves and its structure, with its classes and what these have besides children."""
    leaves, structure = trees.tree_flatten(tree)
    again = trees.tree_unflatten(leaves, structure)
    assert again == tree and type(again) is type(tree)
    assert getattr(again, "maxlen", None) == getattr(tree, "maxlen", None)
    assert getattr(again, "default_factory", None) is getattr(tree, "default_factory", None)
    assert structure.num_leaves == len(leaves) == len(trees.tree_leaves(tree))
    assert structure == trees.tree_structure(tree) and structure != trees.tree_structure([tree])
    assert [trees.key_get(tree, path) for path, _ in trees.tree_flatten_with_path(tree)[0]] == leaves


@pytest.mark.parametrize("tree", TREES[:-1], ids=str)
def test_structures_as_text(trees: Any, tree: Any) -> None:
    """A structure is read again from its text."""
    if isinstance(tree, defaultdict) and trees.__name__.startswith("torch"):
        return  # the name of the factory is in another form
    structure = trees.tree_structure(tree)
    assert trees.treespec_loads(trees.treespec_dumps(structure)) == structure


def test_texts_are_those_of_pytorch() -> None:
    """Structures and their texts look as in PyTorch."""
    theirs: Any = pytest.importorskip("torch.utils._pytree")
    ours = sg.utils._pytree
    for tree in TREES:
        assert repr(ours.tree_structure(tree)) == repr(theirs.tree_structure(tree))
        if not isinstance(tree, (defaultdict, Point)):
            sources = [lib.treespec_dumps(lib.tree_structure(tree)) for lib in (ours, theirs)]
            assert sources[0] == sources[1]


def test_maps(trees: Any) -> None:
    """Functions of leaves, of leaves of some classes, of leaves and paths, and of several trees."""
    tree = {"a": [1, 2.0], "b": (3, "c")}
    assert trees.tree_map(str, tree) == {"a": ["1", "2.0"], "b": ("3", "c")}
    assert trees.tree_map_only(int, lambda n: -n, tree) == {"a": [-1, 2.0], "b": (-3, "c")}
    assert trees.tree_map_only((int, float), lambda n: 0, tree) == {"a": [0, 0], "b": (0, "c")}
    assert trees.tree_map_only(lambda leaf: leaf == "c", str.upper, tree)["b"] == (3, "C")
    assert trees.tree_map(lambda a, b: (a, b), [1, [2]], [[3, 4], [5]]) == [(1, [3, 4]), [(2, 5)]]
    assert trees.tree_map(lambda a, b: a - b, {"x": 1, "y": 2}, {"y": 5, "x": 3}) == {"x": -2, "y": -3}
    shown = trees.tree_map_with_path(lambda path, leaf: trees.keystr(path), {"a": [Point(1, 2)]})
    assert shown == {"a": [Point("['a'][0].x", "['a'][0].y")]}
    seen: list[Any] = []
    assert trees.tree_map_(seen.append, tree) is tree and seen == [1, 2.0, 3, "c"]
    assert trees.tree_all(lambda n: n > 0, [1, 2]) and not trees.tree_any(lambda n: n > 2, [1, 2])
    assert trees.tree_all_only(int, lambda n: n < 4, tree) and trees.tree_any_only(str, str.islower, tree)
    assert trees.tree_leaves([1, (2, 3)], is_leaf=lambda t: isinstance(t, tuple)) == [1, (2, 3)]


def test_prefixes(trees: Any) -> None:
    """A leaf stands for all leaves of a subtree; where structures differ there is no answer."""
    structure = trees.tree_structure([[1, 2], 3])
    assert trees._broadcast_to_and_flatten([7, 8], structure) == [7, 7, 8]
    assert trees._broadcast_to_and_flatten([7, 8, 9], structure) is None
    assert trees._broadcast_to_and_flatten({"a": 7}, structure) is None


@pytest.mark.parametrize(
    ("tree", "other"),
    [([1, 2], [1]), ([1], (1,)), ({"a": 1}, {"b": 1}), ({"a": 1}, 3), ([Point(1, 2)], [(1, 2)])],
    ids=str,
)
def test_trees_that_differ(trees: Any, tree: Any, other: Any) -> None:
    """Trees that have other nodes are a ValueError."""
    with pytest.raises(ValueError, match="mismatch"):
        trees.tree_map(lambda a, b: a, tree, other)
    with pytest.raises(ValueError, match="leaves"):
        trees.tree_unflatten([1, 2, 3, 4], trees.tree_structure(tree))


class Box:
    """A class that is registered."""

    def __init__(self, content: Any, colour: str) -> None:
        self.content, self.colour = content, colour


def test_classes_of_ones_own(trees: Any) -> None:
    """A registered class is a node; what else it has is part of the structure; a class is registered once."""
    kind = type("OwnBox", (Box,), {})
    trees.register_pytree_node(
        kind,
        lambda box: ([box.content], box.colour),
        lambda children, colour: kind(*children, colour),
        serialized_type_name=f"test.{trees.__name__}.OwnBox",
        flatten_with_keys_fn=lambda box: ([(trees.GetAttrKey("content"), box.content)], box.colour),
    )
    doubled = trees.tree_map(lambda n: 2 * n, [kind([1, 2], "red")])
    assert doubled[0].content == [2, 4] and doubled[0].colour == "red"
    red, blue = (trees.tree_structure(kind(1, colour)) for colour in ("red", "blue"))
    assert red != blue and trees.treespec_loads(trees.treespec_dumps(red)) == red
    assert trees.keystr(trees.tree_flatten_with_path(kind(1, "red"))[0][0][0]) == ".content"
    with pytest.raises(ValueError, match="already registered"):
        trees.register_pytree_node(kind, None, None)
    with pytest.raises(ValueError):
        trees.register_pytree_node(dict, None, None)


def test_dataclasses(trees: Any) -> None:
    """The fields of a dataclass are children; those that are None are left out."""
    kind = dataclasses.make_dataclass("Batch", [("x", Any), ("mask", Any, None)])
    trees.register_dataclass(kind)
    assert trees.tree_leaves(kind([1, 2])) == [1, 2]
    assert trees.tree_map(lambda n: n + 1, kind([1], 5)) == kind([2], 6)
    assert trees.tree_map(lambda n: n + 1, kind(1)) == kind(2)


def test_named_tuples_as_text(trees: Any) -> None:
    """A class of named tuples needs a name before its structure can be written."""
    kind = namedtuple("kind", "a")
    with pytest.raises(NotImplementedError, match="namedtuple"):
        trees.treespec_dumps(trees.tree_structure(kind(1)))
    trees._register_namedtuple(kind, serialized_type_name=f"test.{trees.__name__}.kind")
    structure = trees.tree_structure(kind(1))
    assert trees.treespec_loads(trees.treespec_dumps(structure)) == structure


def test_tensors_and_sizes(lib: Any, trees: Any) -> None:
    """Tensors are leaves, sizes and results with names are nodes."""
    values, indices = lib.ones(2, 3).max(1)
    assert len(trees.tree_leaves([values, {"i": indices}, lib.ones(2, 3).max(1), lib.Size([1, 2])])) == 6
    assert trees.tree_map(lambda n: n + 1, lib.Size([1, 2])) == (2, 3)


def test_nodes_of_python_by_pytorchs_names(lib: Any) -> None:
    """The functions of each class of containers."""
    tree = __import__(f"{lib.__name__}.utils._pytree", fromlist=["_"])
    assert tree._dict_flatten({"a": 1, "b": 2}) == ([1, 2], ["a", "b"])
    assert tree._dict_unflatten([1, 2], ["a", "b"]) == {"a": 1, "b": 2}
    assert [value for _, value in tree._list_flatten_with_keys([5, 6])[0]] == [5, 6]
