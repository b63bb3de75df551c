"""From tensors to the boxes, arrows and caption of a picture: walks the graph behind them, newest node first."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...autograd.copy_slices import CopySlices, Region
from ...autograd.function_node import FunctionNode
from ...autograd.node import FREED, LEAF, node_at, output_at
from ...autograd.saved_tensors import Packed, edge_of
from ...autograd.view_history import NOWHERE
from ...dispatch.errors import entry_of, op_node
from ...tensor.tensor import TensorBase
from ..profiler.table import format_bytes


@dataclass(frozen=True)
class Style:
    label: str
    fill: str
    line: str


STYLES = {
    "leaf": Style("leaf", "#dbeafe", "#2563eb"),
    "op": Style("op", "#f8fafc", "#64748b"),
    "view": Style("view", "#dcfce7", "#16a34a"),
    "in-place": Style("in place", "#ffedd5", "#ea580c"),
    "custom": Style("custom Function", "#ede9fe", "#7c3aed"),
    "output": Style("output", "#fef9c3", "#ca8a04"),
}


@dataclass
class Box:
    """A node, a leaf or an output: a title, lines below it, and what a mouse over it shows."""

    kind: str
    title: str
    lines: list[str] = field(default_factory=list)
    note: str = ""


@dataclass
class Arrow:
    source: int
    target: int
    label: str = ""


@dataclass
class Picture:
    """Boxes are newest first; arrows name them by number."""

    boxes: list[Box] = field(default_factory=list)
    arrows: list[Arrow] = field(default_factory=list)
    caption: str = ""

    def kinds(self) -> list[str]:
        used_kinds = {box.kind for box in self.boxes}
        return [kind for kind in STYLES if kind in used_kinds]


@dataclass
class SavedNode:
    """The saved tensors of one node: bytes by name, and by the memory they lie in; `freed` when that is gone."""

    sizes: dict[str, int] = field(default_factory=dict)
    memory: dict[int, int] = field(default_factory=dict)
    packed: int = 0  # values that saved-tensor hooks keep elsewhere
    freed: bool = False

    @property
    def size(self) -> int:
        """Memory that two of them share counts once."""
        return sum(self.memory.values())


def saved_by(node: Any) -> SavedNode:
    saved_tensor = SavedNode()
    own = op_node(node)
    for slot in own.saved_slots:
        name, value = slot.removeprefix("kept_"), getattr(own, slot)
        if value is FREED:
            saved_tensor.freed = True
        for tensor in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(tensor, Packed):
                saved_tensor.packed += 1
            elif isinstance(tensor, TensorBase):
                saved_tensor.sizes[name] = saved_tensor.sizes.get(name, 0) + tensor.nbytes
                address = id(tensor._storage if tensor._storage.base is None else tensor._storage.base)
                saved_tensor.memory[address] = max(saved_tensor.memory.get(address, 0), tensor.nbytes)
    return saved_tensor


Meta = tuple[Any, Any]  # shape and dtype
_MAX_LISTED_OUTPUTS = 4  # outputs of a node that are listed


def collect(outputs: Mapping[str, Any], names: Mapping[Any, str]) -> Picture:
    """`names` are those of leaves and nodes."""
    picture = Picture()
    nodes = nodes_behind(outputs.values())
    metas = _output_metas(nodes, outputs.values())
    numbers: dict[Any, int] = {}
    for name, tensor in outputs.items():
        picture.boxes.append(Box("output", name, [_described((tensor._shape, tensor._dtype))]))
    memory: dict[int, int] = {}
    for node in nodes:
        saved_tensor = saved_by(node)
        memory |= saved_tensor.memory
        numbers[node] = len(picture.boxes)
        picture.boxes.append(_node_box(node, metas.get(node, {}), saved_tensor, names.get(node)))
    _connect(picture, outputs.values(), nodes, numbers, names)
    leaves = sum(box.kind == "leaf" for box in picture.boxes)
    picture.caption = f"{_count(len(nodes), 'node')}, {_count(leaves, 'leaf', 'leaves')}"
    picture.caption += f", {format_bytes(sum(memory.values()))} saved for backward" if memory else ""
    return picture


def nodes_behind(outputs: Iterable[Any]) -> list[Any]:
    result, stack = set(), [node_at(edge_of(tensor)) for tensor in outputs if not tensor.is_leaf]
    while stack:
        node = stack.pop()
        if node not in result:
            result.add(node)
            stack.extend(node_at(edge) for edge in node.edges if edge is not None and edge.edge_kind != LEAF)
    return sorted(result, key=lambda node: -node.sequence)


def _output_metas(nodes: Iterable[Any], outputs: Iterable[Any]) -> dict[Any, dict[int, Meta]]:
    metas: dict[Any, dict[int, Meta]] = {}
    for tensor in outputs:
        if not tensor.is_leaf:
            node, index = output_at(edge_of(tensor))
            metas.setdefault(node, {})[index] = (tensor._shape, tensor._dtype)
    for node in nodes:
        own = metas.setdefault(node, {})
        for index, meta in enumerate(getattr(node, "output_metas", None) or ()):
            if meta is not None:
                own[index] = meta
        for edge, meta in zip(node.edges, _input_metas(node, own), strict=False):
            if edge is not None and edge.edge_kind != LEAF and meta is not None:
                producer, index = output_at(edge)
                metas.setdefault(producer, {}).setdefault(index, meta)
    return metas


def _input_metas(node: Any, own: dict[int, Meta]) -> list[Meta | None]:
    """Shape and dtype of each input; nodes without `metas` have inputs that look like their output."""
    if isinstance(node, CopySlices):  # the base looks as it did; what was written to it, the inner node knows
        region = (node.geometry[0], own[0][1]) if 0 in own else None
        rest = _input_metas(node.inner, {} if region is None else {0: region})
        return [own.get(0), *rest[1:]]
    if node.metas is not None:
        return list(node.metas)
    return [own.get(0)] * len(node.edges)


def _node_box(node: Any, metas: dict[int, Meta], saved_tensor: Any, name: str | None) -> Box:
    lines = [] if name is None else [name]
    shown = sorted(metas.items())[:_MAX_LISTED_OUTPUTS]
    plural = node.output_count > 1
    lines += [f"{index}: {_described(meta)}" if plural else _described(meta) for index, meta in shown]
    lines += [f"... {node.output_count} outputs"] if node.output_count > len(shown) > 0 else []
    if isinstance(node, CopySlices):
        lines.append(f"by {node.inner.name()}")
    if saved_tensor.freed:
        lines.append("saved values freed")
    elif saved_tensor.sizes:
        lines.append(f"saves {format_bytes(saved_tensor.size)}")
    if saved_tensor.packed:
        lines.append(f"saves {_count(saved_tensor.packed, 'packed value')}")
    location = op_node(node).spec_location
    lines += [location] if location else []
    return Box(_kind(node), node.name(), lines, _note(node, saved_tensor))


def _kind(node: Any) -> str:
    if isinstance(node, FunctionNode):
        return "custom"
    if isinstance(node, CopySlices) or node.op_name.partition(".")[0].endswith("_"):
        return "in-place"
    entry = entry_of(type(node).__module__, node.op_name)
    return "view" if isinstance(node, Region) or (entry is not None and entry.kind == "view") else "op"


def _note(node: Any, saved_tensor: Any) -> str:
    lines = [f"{node.name()} (sequence number {node.sequence})"]
    first = (type(node).__doc__ or "").strip().partition("\n")[0]
    lines += [first] if node.spec_location and first else []
    lines += [f"saved {name}: {format_bytes(size)}" for name, size in saved_tensor.sizes.items()]
    return "\n".join(lines)


def _connect(picture: Picture, outputs: Iterable[Any], nodes: list[Any], numbers: dict[Any, int], names: Any) -> None:
    def arrow(edge: Any, target: int) -> None:
        if edge.edge_kind == LEAF:
            if edge not in numbers:
                numbers[edge] = len(picture.boxes)
                meta, name = _described((edge._shape, edge._dtype)), names.get(edge) or "leaf"
                picture.boxes.append(Box("leaf", name, [meta], f"{name}: {meta}, {format_bytes(edge.nbytes)}"))
            picture.arrows.append(Arrow(numbers[edge], target))
        else:
            node, index = output_at(edge)
            picture.arrows.append(Arrow(numbers[node], target, str(index) if node.output_count > 1 else ""))

    for number, tensor in enumerate(outputs):
        arrow(edge_of(tensor), number)
    for node in nodes:
        for edge in node.edges:
            if edge is not None and edge is not NOWHERE:
                arrow(edge, numbers[node])


def _described(meta: Meta) -> str:
    shape, dtype = meta
    return f"{tuple(shape) if len(shape) else 'scalar'} {str(dtype).rpartition('.')[2]}"


def _count(number: int, one: str, plural: str = "") -> str:
    return f"{number:,} {one if number == 1 else plural or one + 's'}"
