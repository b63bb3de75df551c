"""The general path of an op, of any dtype and layout."""

from dataclasses import dataclass

from ..spec.model import Argument
from .calls import behind, star_args
from .op import OpCode
from .saved_tensors import rewrite


@dataclass(frozen=True)
class General:
    code: OpCode

    template = "general"

    @property
    def before(self) -> list[str]:
        return self.code.result_type if self.code.entry.compute.kind == "kernel" else []

    @property
    def header(self) -> str:
        into = "" if self.code.entry.compute.kind == "view" else ", into=None"
        return f"_{self.code.name}(name: str, {self.code.general_parameters}{into})"

    @property
    def lines(self) -> list[str]:
        code = self.code
        if code.entry.compute.kind == "kernel":
            return [*self.prepared, f"return {self.called}"]
        if code.entry.compute.kind == "view":
            return [*self.prepared, f"first = {code.tensors[0].name}", *self.geometry, f"return {self.returned}"]
        call = f"run({code.kernel}, name, ({self.tensors}), ({self.numbers}), into)"
        first = [*self.prepared, *self.remembered_in_place, f"result, ({self.tensors}) = {call}"]
        return [*first, *self.undefined, f"return {self.returned}"]

    @property
    def tensors(self) -> str:
        return star_args(a.name for a in self.code.tensors)

    @property
    def numbers(self) -> str:
        promoting = [a.name for a in self.code.numbers if a.type.base == "Scalar" and not a.keyword_only]
        wraps = {"other": ", wraps=True"}  # a second operand, as on PyTorch
        return star_args(
            f"Promoting({a.name}{wraps.get(a.name, '')})" if a.name in promoting else a.name for a in self.code.numbers
        )

    @property
    def prepared(self) -> list[str]:
        code, fast = self.code, self.code.fast
        retained = fast.arg_kinds if fast.keeps_plans else [a.name for a in fast.view_arguments]
        value = [f"unchecked = ({star_args(retained)})"] if fast.keeps_plans or fast.recalls else []
        checks = [line for argument in code.arguments for line in checked(code, argument)]
        return [*value, *checks, *rule(code), *self._of_other_dtypes]

    @property
    def _of_other_dtypes(self) -> list[str]:
        code, others = self.code, self.code.entry.other_dtypes
        if others is None or others.tree is None:
            return []
        own = f"{code.tensors[0].name}._dtype"
        computed = f"({own} if dtype is None else dtype)" if code.has_dtype_argument else own
        kinds = "".join(sorted(word[0] for word in code.entry.dtypes if word in self._not_computed))
        return [f'if {computed}.kind in "{kinds}":', f"    return {rewrite(others.written or others.tree, code.calls)}"]

    @property
    def _not_computed(self) -> tuple[str, ...]:
        """The dtypes of a row program's entry that the program does not take: whole numbers may become floats."""
        return ("complex",) if self.code.entry.dtype == "float" else ("bool", "int", "complex")

    @property
    def geometry(self) -> list[str]:
        code, fast = self.code, self.code.fast
        function = code.library["view", code.entry.compute.text].spelling
        sizes = ", first._dtype.itemsize, kind.itemsize" if code.retypes else ""
        others = behind(a.name for a in code.arguments if a.type.base not in ("Tensor", "ScalarType"))
        view_geometry = f"({function}, first._shape, first.stride(), first._offset{sizes}{others})"
        if code.gives_list:
            made = "result = tuple([make_view(first, view_geometry) for view_geometry in view_geometries])"
            return [f"view_geometries = geometries{view_geometry}", *self._cached("view_geometries"), made]
        kind = "dtype" if code.has_dtype_argument else f"first._dtype.to_{code.entry.result_dtype[0]}()"
        made, more = ("typed_view" if code.node else "typed_alias"), ", kind"
        lines = [f"kind = {kind}"]
        if not code.retypes:
            lines, made, more = [], "make_view", ""
        if not fast.recalls:
            return [*lines, f"result = {made}(first, geometry{view_geometry}{more})"]
        lines += [f"view_geometry = geometry{view_geometry}", *self._cached("view_geometry")]
        return [*lines, f"result = {made}(first, view_geometry{more})"]

    def _cached(self, view_geometry: str) -> list[str]:
        key = star_args([view_geometry, *(a.name for a in self.code.fast.view_arguments)])
        call = f"{self.code.fast.looked_up_by}.remember(first, unchecked, ({key}))"
        return [call] if self.code.fast.recalls else []

    @property
    def remembered_in_place(self) -> list[str]:
        fast = self.code.fast
        call = f"{fast.looked_up_by}.remember_in_place(unchecked, ({star_args(fast.arg_kinds)}))"
        return [call] if self.code.plan_in_place else []

    @property
    def called(self) -> str:
        """The results of an op with a kernel, recorded."""
        code = self.code
        unchecked = "unchecked" if code.fast.keeps_plans else "()"
        into = "" if code.has_multiple_outputs else ", into"
        result = named(code, f"call({code.fast.kernel_op}, name, {unchecked}, ({code.general_parameters},){into})")
        return f"{code.lazy_constructor}({result})" if code.lazy_constructor else result

    @property
    def undefined(self) -> list[str]:
        why = self.code.entry.undefined_gradients
        if not why:
            return []
        call = f'record_undefined(name, (result,), ({", ".join(why)},), "{next(iter(why.values()))}")'
        return ["if grad_mode.grad or watch.active:", f"    {call}"]

    @property
    def returned(self) -> str:
        """The result of an op without a kernel by hand, recorded."""
        code, result = self.code, "result"
        if code.node is not None:
            into = "" if code.entry.compute.kind == "view" else ", into=into"
            result = f"{code.node_class}.record(result, {code.general_parameters}{into})"
        return f"{code.lazy_constructor}({result})" if code.lazy_constructor else result


def checked(code: OpCode, argument: Argument) -> list[str]:
    if unlike := code.unlike(argument):
        return [f"if {unlike}:", f"    {argument.name} = {code.check(argument, is_set=True)}"]
    return [f"{argument.name} = {code.check(argument)}"]


def rule(code: OpCode) -> list[str]:
    if code.rule is None:
        return []
    value = code.general_parameters
    return [f"{value}{',' * (len(code.arguments) == 1)} = {code.rule.spelling}(name, {value})"]


def named(code: OpCode, results: str) -> str:
    return f"_{code.name}_result(*{results})" if code.has_multiple_outputs else results
