"""The general path of an op as elementwise.py.j2, view.py.j2 and kernel.py.j2 lay it out: any dtype and any layout.

Each step is a list of lines, perhaps empty.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..spec.model import Argument
from .dispatcher_code import spread
from .op_code import OpCode


@dataclass(frozen=True)
class General:
    """The general path: any dtype, any layout, recording."""

    code: OpCode

    @property
    def template(self) -> str:
        return self.code.entry.compute.kind

    @property
    def result_type(self) -> list[str]:
        return result_type(self.code) if self.code.return_type else []

    @property
    def tensors(self) -> str:
        return spread(a.name for a in self.code.tensors)

    @property
    def numbers(self) -> str:
        """The numbers of an element-wise op; those that take part in promotion are marked."""
        marked = (a.type.base == "Scalar" and not a.keyword_only for a in self.code.numbers)
        pairs = zip(self.code.numbers, marked, strict=True)
        return spread(f"Promoting({a.name})" if promoting else a.name for a, promoting in pairs)

    @property
    def kernel(self) -> str:
        return f"kernels.{self.code.entry.identifier.upper()}"

    @property
    def given(self) -> list[str]:
        """The arguments as they came, by which what is found is looked up."""
        fast = self.code.fast
        if not fast.has_plan and not fast.recalls:
            return []
        kept = fast.letters if fast.has_plan else [a.name for a in fast.view_arguments]
        return [f"given = ({spread(kept)})"]

    @property
    def checked(self) -> list[str]:
        """The arguments checked and normalised."""
        return [line for a in self.code.arguments for line in checked(self.code, a.name)] + rule(self.code)

    @property
    def geometry(self) -> list[str]:
        """The view: shape, strides and offset by the function of the spec, over the tensor's memory."""
        code, fast = self.code, self.code.fast
        sizes = ", first._dtype.itemsize, kind.itemsize" if code.retypes else ""
        others = "".join(f", {a.name}" for a in code.arguments if a.type.base not in ("Tensor", "ScalarType"))
        place = f"({code.view.spelling}, first._shape, first.stride(), first._offset{sizes}{others})"
        if code.gives_list:
            return [f"result = tuple([make_view(first, place) for place in geometries{place}])"]
        if fast.recalls:
            kept = spread(["place", *(a.name for a in fast.view_arguments)])
            remembered = f"{fast.found_by}.remember(first, given, ({kept}))"
            return [f"place = geometry{place}", remembered, "result = make_view(first, place)"]
        if code.retypes:
            made = "typed_view" if code.node else "typed_alias"
            return [f"kind = {code.view_dtype}", f"result = {made}(first, geometry{place}, kind)"]
        return [f"result = make_view(first, geometry{place})"]

    @property
    def planned(self) -> list[str]:
        """The compiled kernels that are found for checked arguments, tried once more."""
        fast = self.code.fast
        if not fast.has_plan:
            return []
        condition = f"into is None and not watch.active{fast.without_others}"
        return [
            f"if {condition} and {fast.found_by}.remember(given, ({spread(fast.letters)})):",
            f"    result = {fast.found_by}.launch({', '.join(fast.letters)})",
            "    if result is not None:",
            f"        return {named(self.code, 'result')}",
        ]

    @property
    def computed(self) -> list[str]:
        """The dtype in which a kernel computes."""
        code = self.code
        if code.entry.dtype == "none":
            return []
        wanted = ", dtype" if code.has_dtype_argument else ""
        rule_ = f'name, "{code.entry.dtype}", {code.allowed}, {self._promoted}{wanted}'
        return [f"computed = {self._native_shortcut}computed_dtype({rule_})"]

    @property
    def several(self) -> bool:
        return len(self.code.entry.schema.returns) > 1

    @property
    def results(self) -> str:
        return "results" if self.several else "result"

    @property
    def made(self) -> str:
        """The outputs of a kernel as tensors."""
        entry = self.code.entry
        if not self.several:
            return f"adopt({self._kernel_call}, {self._result_dtype})"
        computed = "None" if entry.dtype == "none" else "computed"
        return f"outputs({self._kernel_call}, {computed}, {entry.result_dtype})"

    @property
    def _kernel_call(self) -> str:
        """The call of the hand-written kernel on arrays of the computation's dtype."""
        taken = (a for a in self.code.arguments if a.type.base not in ("ScalarType", "MemoryFormat"))
        kernel = self.code.library["kernel", self.code.entry.compute.text].spelling
        return f"{kernel}({', '.join(map(self._kernel_argument, taken))})"

    def _kernel_argument(self, argument: Argument) -> str:
        name, type_ = argument.name, argument.type
        if not type_.is_tensor:
            return name
        cast = "None" if self.code.is_raw(argument) or self.code.entry.dtype == "none" else "computed"
        if type_.is_list:
            return f"arrays_in({name}, {cast})"
        return f"array_in({name}, {cast})"

    @property
    def _promoted(self) -> str:
        """The tensors (and positional numbers) whose dtypes decide that of the computation, as a tuple expression."""
        parts = []
        for argument in self.code.arguments:
            if argument.type.is_tensor and not self.code.is_raw(argument):
                parts.append(f"*{argument.name}" if argument.type.is_list else argument.name)
            elif (
                argument.type.base == "Scalar"
                and not argument.keyword_only
                and self.code.entry.dtype in ("promote", "float")
            ):
                parts.append(argument.name)
        return f"({', '.join(parts)},)" if parts else "()"

    @property
    def _native_shortcut(self) -> str:
        """`x if c else `: the dtype itself where all promoted tensors share float32 or float64, as they mostly do."""
        taking_part = [a for a in self.code.arguments if a.type.is_tensor and not self.code.is_raw(a)]
        required = [a.name for a in taking_part if not a.type.optional]
        if not required or any(a.type.is_list for a in taking_part) or "float" not in self.code.entry.dtypes:
            return ""
        first = f"{required[0]}._dtype"
        conditions = [f"{first}.native", *(f"{other}._dtype is {first}" for other in required[1:])]
        optional = [a.name for a in taking_part if a.type.optional]
        conditions += [f"({other} is None or {other}._dtype is {first})" for other in optional]
        conditions += ["dtype is None"] if self.code.has_dtype_argument else []
        return f"{first} if {' and '.join(conditions)} else "

    @property
    def _result_dtype(self) -> str:
        """The dtype of the one output, as an expression."""
        if self.code.entry.dtype == "none":
            return "None"
        rule = self.code.entry.result_dtype[0]
        return "computed" if rule == "same" else f'result_dtype("{rule}", computed)'

    @property
    def written(self) -> list[str]:
        """The result of a kernel put into the tensor that is written to."""
        return [] if self.several else ["if into is not None:", "    result = write(name, into, result)"]

    @property
    def recorded(self) -> list[str]:
        """The result in the graph, and its tangents."""
        return [*self._graph, *self._undefined, *self._tangents]

    @property
    def _record(self) -> str:
        node = self.code.node
        assert node is not None
        return f"functions.{node.class_name}.record({', '.join([self.results, *node.recorded_arguments])})"

    @property
    def _graph(self) -> list[str]:
        code = self.code
        if code.node is None:
            return []
        if code.entry.compute.kind != "view":
            floats = "" if self.several else ' and result._dtype.kind in "fc"'
            return [f"if grad_mode.grad and ({code.requires_grad_condition}){floats}:", f"    {self._record}"]
        several = ["    several(result)"] if code.gives_list else []
        star = "*" if code.gives_list else ""
        recorded = [f"    if {code.requires_grad_condition}:", f"        {self._record}", *several]
        return ["if grad_mode.grad:", *recorded, "else:", f"    not_recorded({star}result)"]

    @property
    def _undefined(self) -> list[str]:
        """The arguments that would need a gradient which is not defined."""
        why = self.code.entry.undefined_gradients
        if not why:
            return []
        results = "results" if self.several else "(result,)"
        call = f'record_undefined(name, {results}, ({", ".join(why)},), "{next(iter(why.values()))}")'
        return ["if grad_mode.grad or watch.active:", f"    {call}"]

    @property
    def _tangents(self) -> list[str]:
        code, node = self.code, self.code.node
        if node is None:
            return []
        if not node.forward:
            return ["if watch.notes:", f"    watch.note({self.results})"]
        into = "" if self.several or code.entry.compute.kind == "view" else ", into"
        primals = f"({code.general_parameters},), ({spread(a.name for a in node.arguments)})"
        return ["if watch.active:", f"    propagate(functions.{node.class_name}, {self.results}, {primals}{into})"]

    @property
    def returned(self) -> str:
        return named(self.code, "results") if self.code.return_type else self.results


def checked(code: OpCode, name: str) -> list[str]:
    """The check of one argument, which plain values of its type need not pass."""
    argument = code.entry.schema.argument(name)
    assert argument is not None
    if unlike := code.unlike(argument):
        return [f"if {unlike}:", f"    {name} = {code.check(argument, given=True)}"]
    return [f"{name} = {code.check(argument)}"]


def rule(code: OpCode) -> list[str]:
    """The op's own check of its arguments together."""
    if code.rule is None:
        return []
    given = code.general_parameters
    comma = "," if len(code.arguments) == 1 else ""
    return [f"{given}{comma} = {code.rule.spelling}(name, {given})"]


def named(code: OpCode, results: str) -> str:
    """Several outputs with their names."""
    return f"_{code.name}_result(*{results})" if code.return_type else results


def result_type(code: OpCode) -> list[str]:
    return [f"_{code.name}_result = {code.return_type}"]
