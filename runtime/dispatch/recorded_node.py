"""Nodes that generated code describes: which arguments have gradients, which tensors and values are kept for them.

A class says it once. By that native code records it (runtime/native/objects/record.py), and so does Python: `record` is
written when it is first called, by what the class states, as dataclasses write `__init__`. A loop would take twice as
long."""

import linecache
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..autograd.forward_mode import propagate
from ..autograd.node import Node, Output, next_sequence
from ..autograd.saved_tensors import alias_of, edge_of, meta_of, version_of
from ..autograd.view_history import multiple_views, not_recorded
from ..errors import NotDifferentiableError
from ..tensor.grad_mode import mode
from ..tensor.observers import watch

META = "None if {0}_ is None else ({0}_._shape, {0}_._dtype)"
EDGE = "None if {0}_ is None or not {0}_._requires_grad else {0}_._grad_fn or {0}_"
VERSION = "0 if t is None or t._version_counter is None else t._version_counter[0]"


class RecordedNodeType(type):
    """Makes the slots of what a class keeps."""

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> Any:
        keeps, values = namespace.get("keeps", {}), namespace.get("values", {})
        slots = [*values, *keeps, *(f"{slot}_version" for slot in keeps)]
        if namespace.get("output_count", 1) > 1 or namespace.get("gives_list"):
            slots.append("output_metas")
        if namespace.get("gives_list"):
            slots.append("output_count")
        return super().__new__(cls, name, bases, {"__slots__": tuple(slots), "saved_slots": tuple(keeps)} | namespace)


class RecordedNode(Node, metaclass=RecordedNodeType):
    """A node of an op of a spec.

    Attributes:
        arguments: the op's arguments.
        inputs: those that have gradients; one list of tensors may be all of them.
        keeps: slot -> the argument or "output k" that it holds, and the inputs whose gradients read it.
        values: slot -> the argument that it holds, or of which it holds an attribute, `_shape`, what a method gives,
            `stride()`, or "shapes", those of a list of tensors.
        refuses: arguments that must not require grad -> why.
        is_view: whether the op gives views of its first argument.
        gives_list: whether the op gives a list of tensors.
        lists: arguments that are lists of tensors.
    """

    arguments: tuple[str, ...] = ()
    refuses: Any = {}
    is_view = False
    gives_list = False
    lists: tuple[str, ...] = ()
    formula: Callable[[Any], tuple[Any, ...]]  # the gradients in ops, which are recorded, where `apply` runs a kernel
    tangent: Any = None  # (results, *arguments, *tangents of the inputs) -> tangents of the results

    def __init_subclass__(cls) -> None:
        outputs = {f"output {k}": k for k in cls.differentiable}
        cls.saved_outputs = {slot: outputs[source] for slot, (source, _) in cls.keeps.items() if source in outputs}
        super().__init_subclass__()
        cls.may_be_copied = not cls.saved_outputs  # an output knows its node

    @classmethod
    def record(cls, results: Any, *arguments: Any, into: Any = None) -> Any:
        """The result of an op, or its results: in the graph where an input requires grad, with tangents where one has.

        Args:
            results: a tensor, or several.
            arguments: all those of the op.
            into: the tensor that was written to, of an op in place.
        Raises:
            NotDifferentiableError: an argument requires grad that has no gradient.
        """
        cls.record = _record_of(cls)  # type: ignore[method-assign]
        return cls.record(results, *arguments, into=into)


def _record_of(cls: type[RecordedNode]) -> Any:
    """The function of a class. That of exp, whose node keeps the result:

    def record(results, self_, into=None):
        if mode.grad:
            if (self_ is not None and self_._requires_grad) and results._dtype.kind in 'fc':
                node = new(cls)
                node.sequence = next_sequence()
                node.hooks = None
                node.metas = (None if self_ is None else (self_._shape, self_._dtype), )
                node.edges = (None if self_ is None or not self_._requires_grad else self_._grad_fn or self_, )
                node.kept_result = t = alias_of(results)
                node.kept_result_version = 0 if t is None or t._version_counter is None else t._version_counter[0]
                results._grad_fn = node
                results._requires_grad = True
        if watch.active:
            propagate(cls, results, (self_, ), (self_, ), into)
        return results
    """
    recorded = [*_linked(cls), *_values(cls), *_saved(cls), *_outputs(cls)]
    views = "*results" if cls.gives_list else "results"
    in_graph = [f"if {_needed(cls)}:", *_indented(recorded), *["multiple_views(results)"] * cls.gives_list]
    lines = [
        *(f"refuse(cls, {name!r}, {name}_)" for name in cls.refuses),
        "if mode.grad:",
        *_indented(in_graph),
        *["else:", f"    not_recorded({views})"] * cls.is_view,
        "if watch.active:",
        f"    propagate(cls, results, ({_listed(cls.arguments)}), ({_listed(cls.inputs)}), into)",
        "return results",
    ]
    source = "\n".join([f"def record(results, {_listed(cls.arguments)}into=None):", *_indented(lines)])
    names: dict[str, Any] = {function.__name__: function for function in FUNCTIONS}
    names |= {"cls": cls, "new": object.__new__, "mode": mode, "watch": watch, "next_sequence": next_sequence}
    file = f"{__file__} <{cls.__name__}.record>"  # among the files whose frames tracebacks leave out
    linecache.cache[file] = len(source), None, source.splitlines(True), file  # for tracebacks and debuggers
    exec(compile(source, file, "exec"), names)
    return staticmethod(names["record"])


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _listed(names: Iterable[str]) -> str:
    """Arguments as they are spelt here: unlike every other name."""
    return "".join(f"{name}_, " for name in names)


def _needed(cls: type[RecordedNode]) -> str:
    if cls.inputs[0] in cls.lists:
        return f"any([t is not None and t._requires_grad for t in {cls.inputs[0]}_])"
    needed = " or ".join(f"{name}_ is not None and {name}_._requires_grad" for name in cls.inputs)
    is_one = not cls.gives_list and cls.output_count == 1
    return f"({needed}) and results._dtype.kind in 'fc'" if is_one else needed


def refuse(cls: type[RecordedNode], name: str, tensor: Any) -> None:
    if mode.grad and tensor is not None and tensor._requires_grad:
        op_name = cls.op_name
        raise NotDifferentiableError(f"{op_name}(): no gradient for '{name}': {cls.refuses[name]}")


def _linked(cls: type[RecordedNode]) -> Iterator[str]:
    yield "node = new(cls)"
    yield "node.sequence = next_sequence()"
    yield "node.hooks = None"
    if cls.inputs[0] in cls.lists:
        metas, edges = f"[meta_of(t) for t in {cls.inputs[0]}_]", f"[edge_of(t) for t in {cls.inputs[0]}_]"
        yield f"node.metas, node.edges = tuple({metas}), tuple({edges})"
        return
    meta, edge = META + ", ", EDGE + ", "
    yield f"node.metas = ({''.join(map(meta.format, cls.inputs))})"
    yield f"node.edges = ({''.join(map(edge.format, cls.inputs))})"


def _spelt(cls: type[RecordedNode], source: str) -> str:
    number = source.removeprefix("output ")
    return f"{source}_" if number == source else "results" if cls.output_count == 1 else f"results[{number}]"


def _values(cls: type[RecordedNode]) -> Iterator[str]:
    for slot, (source, part) in cls.values.items():
        value = f"{source}_"
        if part == "shapes":
            yield f"node.{slot} = tuple([t._shape for t in {value}])"
        else:
            yield f"node.{slot} = {f'None if {value} is None else {value}.{part}' if part else value}"


def _saved(cls: type[RecordedNode]) -> Iterator[str]:
    for slot, (source, needed_by) in cls.keeps.items():
        tensor, margin = _spelt(cls, source), ""
        if len(needed_by) < len(cls.inputs):
            numbers = [cls.inputs.index(name) for name in needed_by]
            yield f"node.{slot} = None"
            yield f"if {' or '.join(f'node.edges[{i}] is not None' for i in numbers)}:"
            margin = "    "
        yield f"{margin}node.{slot} = t = {f'alias_of({tensor})' if slot in cls.saved_outputs else tensor}"
        if source in cls.lists:
            yield f"{margin}node.{slot}_version = [0 if x is None else version_of(x) for x in t]"
        else:
            yield f"{margin}node.{slot}_version = {VERSION}"


def _outputs(cls: type[RecordedNode]) -> Iterator[str]:
    """The results learn their node."""
    if cls.gives_list:
        yield "node.output_count, node.output_metas = len(results), [meta_of(t) for t in results]"
        yield "for k, t in enumerate(results):"
        yield "    t._grad_fn, t._requires_grad = Output(node, k) if len(results) > 1 else node, True"
    elif cls.output_count == 1:
        yield "results._grad_fn = node"
        yield "results._requires_grad = True"
    else:
        yield "node.output_metas = tuple([(t._shape, t._dtype) for t in results])"
        for k in cls.differentiable:
            yield f"results[{k}]._grad_fn, results[{k}]._requires_grad = Output(node, {k}), True"


FUNCTIONS = (alias_of, edge_of, meta_of, version_of, refuse, propagate, not_recorded, multiple_views, Output)
