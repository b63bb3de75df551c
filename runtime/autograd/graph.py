"""Places in the graph as users name them: `GradientEdge`, counts of writes, and a node's saved tensors.

A node class gets `_saved_NAME`, the tensor, and `_raw_saved_NAME`, its slot, for each of its `kept_NAME` slots."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from ..device.device import CPU
from ..errors import ArgumentError, GraphError, type_name
from ..tensor.grad_mode import current_version, is_inference
from ..tensor.tensor import TensorBase, alias
from .accumulate_grad import next_function
from .node import FREED, Node, inspection
from .saved_tensors import Packed, edge_from, edge_of, meta_of, modified, saved_by_reference


class _Fields(NamedTuple):
    node: Node
    output_nr: int
    ownership_token: Any = None


class GradientEdge(_Fields):
    """Where the gradient of a tensor goes: a node and the number of one of its outputs.

    `autograd.grad` and `autograd.backward` take it in the place of the tensor, which need not be kept then.

    Args:
        node: the `grad_fn` of the tensor, or the AccumulateGrad of a leaf.
        output_nr: the tensor's number among the outputs of the node.
        ownership_token: not used; in PyTorch it keeps the graph alive.
    """

    meta: Any = None  # shape and dtype of the tensor, where it was known
    device: Any = CPU  # and its device

    def __init__(self, node: Node, output_nr: int, ownership_token: Any = None) -> None:
        pass


def get_gradient_edge(tensor: Any) -> GradientEdge:
    """The edge that the gradient of a tensor takes: `grad(loss, edge)` is `grad(loss, tensor)`.

    Args:
        tensor: a tensor that requires grad.

    Raises:
        RuntimeError: it does not require grad.

    Example:
        >>> import specgrad as sg
        >>> x = sg.tensor(3.0, requires_grad=True)
        >>> y = x * x
        >>> edge = sg.autograd.graph.get_gradient_edge(x)
        >>> sg.autograd.grad(y, edge)
        (tensor(6.),)
    """
    if not isinstance(tensor, TensorBase):
        raise ArgumentError(f"get_gradient_edge(): expected a Tensor, but got {type_name(tensor)}")
    if not tensor._requires_grad:
        raise GraphError(
            "It is not possible to get the gradient edge for a Tensor that does not require gradients: "
            "get_gradient_edge()"
        )
    edge = GradientEdge(*next_function(edge_of(tensor)))
    edge.meta, edge.device = meta_of(tensor), tensor._device
    return edge


def increment_version(tensor: Any) -> None:
    """Say that the memory of a tensor was written to by means that autograd does not see.

    Saved tensors over the same memory then give an error in backward.

    Args:
        tensor: a tensor, or an iterable of them.

    Example:
        >>> import specgrad as sg
        >>> x = sg.zeros(2)
        >>> x.numpy()[0] = 1
        >>> sg.autograd.graph.increment_version(x)
        >>> x._version
        1
    """
    tensors = (tensor,) if isinstance(tensor, TensorBase) else tensor
    if not isinstance(tensors, Iterable):
        raise RuntimeError(f"increment_version expect a Iterable[Tensor] as input, but got {type_name(tensor)}")
    for written in tensors:
        if not isinstance(written, TensorBase):
            raise RuntimeError(f"increment_version expect a Iterable[Tensor] as input, but got a {type_name(written)}")
        if not is_inference(written):
            written._bump_version("increment_version")


SAVED_PREFIX = "kept_"


def show_saved(node_class: Any) -> None:
    for slot in node_class.saved_slots:
        name = slot.removeprefix(SAVED_PREFIX)
        setattr(node_class, f"_saved_{name}", SavedAttribute(slot, raw=False))
        setattr(node_class, f"_raw_saved_{name}", SavedAttribute(slot, raw=True))


inspection.show_saved = show_saved


class SavedAttribute:
    """Reads one slot of a node: a tensor, None where it was not needed, or a tuple for a list of tensors."""

    __slots__ = ("raw", "slot")

    def __init__(self, slot: str, raw: bool) -> None:
        self.slot = slot
        self.raw = raw

    def __get__(self, node: Any, owner: Any = None) -> Any:
        if node is None:
            return self
        versions = getattr(node, f"{self.slot}_version", None)
        if isinstance(versions, (list, tuple)):
            matches = [SavedTensor(node, self.slot, i) for i, _ in enumerate(getattr(node, self.slot))]
            return tuple(saved if self.raw else saved.unpack() for saved in matches)
        saved = SavedTensor(node, self.slot)
        return saved if self.raw else saved.unpack()

    def __set__(self, node: Any, value: Any) -> None:
        name = f"_{'raw_' if self.raw else ''}saved_{self.slot.removeprefix(SAVED_PREFIX)}"
        raise AttributeError(f"attribute '{name}' of '{node.name()}' objects is not writable")


class SavedTensor:
    """The place where a node keeps one tensor for backward.

    Args:
        node: the node.
        slot: the attribute in which it keeps the tensor, or several.
        position: which of several it is.
    """

    __slots__ = ("node", "position", "slot")

    def __init__(self, node: Any, slot: str, position: int | None = None) -> None:
        self.node = node
        self.slot = slot
        self.position = position

    @property
    def saved_value(self) -> Any:
        """The tensor or what hooks have packed; FREED when it is gone."""
        return self._own(getattr(self.node, self.slot))

    def _own(self, value: Any) -> Any:
        return value if self.position is None or value is FREED else value[self.position]

    @property
    def _edge(self) -> Any:
        """The place in the graph of a saved output; None for an input, which has its own."""
        key = self.slot if self.position is None else (self.slot, self.position)
        index = self.node.saved_outputs.get(key)
        return None if index is None else edge_from(self.node, index)

    def unpack(self) -> Any:
        """The tensor at its place in the graph; an error when it was freed or has been written to since."""
        saved_value, edge = self.saved_value, self._edge
        if saved_value is None:
            return None
        if type(saved_value) is Packed:
            return saved_by_reference(outside(saved_value.unpack()), edge) if edge is not None else saved_value.placed()
        expected = self._own(getattr(self.node, f"{self.slot}_version"))
        if current_version(saved_value) != expected:
            name = self.slot.removeprefix(SAVED_PREFIX)
            raise modified(
                self.node, name if self.position is None else f"{name}[{self.position}]", saved_value, expected
            )
        return saved_value if edge is None else saved_by_reference(outside(saved_value), edge)

    @property
    def data(self) -> Any:
        """The return value of the pack hook, or the tensor where there are no hooks."""
        saved_value = self.saved_value
        return saved_value.value if type(saved_value) is Packed else self.unpack()

    @property
    def unpack_hook(self) -> Any:
        saved_value = self.saved_value
        return saved_value.unpack_hook if type(saved_value) is Packed else None

    def register_hooks(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
        """Pack the saved tensor by one function now, and unpack it by the other whenever it is needed.

        Args:
            pack_hook: takes the tensor and returns anything.
            unpack_hook: takes what `pack_hook` returned and returns a tensor of the same values.

        Raises:
            RuntimeError: there is no tensor, it was freed, it has hooks already, or the pack hook wrote to it.
        """
        check_hooks("register_hooks", pack_hook, unpack_hook)
        saved_value = self.saved_value
        self._refuse(saved_value)
        packed = Packed(outside(saved_value), (pack_hook, unpack_hook), None if self._edge else edge_of(saved_value))
        if self.position is None:
            setattr(self.node, self.slot, packed)
        else:
            values = getattr(self.node, self.slot)
            setattr(self.node, self.slot, (*values[: self.position], packed, *values[self.position + 1 :]))

    def _refuse(self, saved_value: Any) -> None:
        if type(saved_value) is Packed:
            raise RuntimeError(
                "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of "
                "hooks is allowed at a time."
            )
        if saved_value is None:
            raise RuntimeError("Calling register_hooks on a saved tensor with value None is forbidden")
        if saved_value is FREED:
            raise GraphError(
                "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the "
                "graph are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need "
                "to backward through the graph a second time or if you need to access saved variables after calling "
                "backward."
            )


def outside(tensor: Any) -> Any:
    """Another tensor over the same memory, outside the graph, with the same tangents."""
    other = alias(tensor, tensor._shape, tensor._strides, tensor._offset)
    other._tangent = tensor._tangent
    return other


def check_hooks(name: str, pack_hook: Any, unpack_hook: Any) -> None:
    for what, hook in (("pack_hook", pack_hook), ("unpack_hook", unpack_hook)):
        if not callable(hook):
            raise TypeError(f"{name}(): argument '{what}' must be a callable, not {type_name(hook)}")
