"""The general path of an op, of any dtype and layout, for elementwise.py.j2, view.py.j2 and kernel.py.j2."""

from dataclasses import dataclass

from ..spec.model import Argument
from .calls import behind, star_args
from .op import OpCode


@dataclass(frozen=True)
class General:
    code: OpCode

    @property
    def template(self) -> str:
        return self.code.entry.compute.kind

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
        value = [f"given = ({star_args(retained)})"] if fast.keeps_plans or fast.recalls else []
        return [*value, *(line for argument in code.arguments for line in checked(code, argument)), *rule(code)]

    @property
    def geometry(self) -> list[str]:
        code, fast = self.code, self.code.fast
        function = code.library["view", code.entry.compute.text].spelling
        sizes = ", first._dtype.itemsize, kind.itemsize" if code.retypes else ""
        others = behind(a.name for a in code.arguments if a.type.base not in ("Tensor", "ScalarType"))
        view_geometry = f"({function}, first._shape, first.stride(), first._offset{sizes}{others})"
        if code.gives_list:
            retained = (
                [f"{fast.looked_up_by}.remember(first, given, ({self._cached_lookup('view_geometries')}))"]
                if fast.recalls
                else []
            )
            made = "result = tuple([make_view(first, view_geometry) for view_geometry in view_geometries])"
            return [f"view_geometries = geometries{view_geometry}", *retained, made]
        remembered = f"{fast.looked_up_by}.remember(first, given, ({self._cached_lookup('view_geometry')}))"
        if fast.recalls and not code.retypes:
            return [f"view_geometry = geometry{view_geometry}", remembered, "result = make_view(first, view_geometry)"]
        if code.retypes:
            kind = "dtype" if code.has_dtype_argument else f"first._dtype.to_{code.entry.result_dtype[0]}()"
            made = "typed_view" if code.node else "typed_alias"
            if fast.recalls:
                return [
                    f"kind = {kind}",
                    f"view_geometry = geometry{view_geometry}",
                    remembered,
                    f"result = {made}(first, view_geometry, kind)",
                ]
            return [f"kind = {kind}", f"result = {made}(first, geometry{view_geometry}, kind)"]
        return [f"result = make_view(first, geometry{view_geometry})"]

    def _cached_lookup(self, view_geometry: str) -> str:
        return star_args([view_geometry, *(a.name for a in self.code.fast.view_arguments)])

    @property
    def planned(self) -> list[str]:
        fast = self.code.fast
        if not fast.launches:
            return []
        lines = [] if fast.records else [f"{self.results} = None"]
        first, arg_kind = next(iter(fast.arg_kinds.items()))
        where = f"{first}._device is not CPU and " if arg_kind == "T" and not self.code.plan else ""
        condition = f"{where}into is None and not watch.every{fast.without_others}{self._in_rows}"
        remembered, launched = f"{fast.looked_up_by}.remember(given, ({star_args(fast.arg_kinds)}))", self._launched
        if fast.launches_unchecked:
            lines += [f"if {condition} and {remembered}:", f"    {launched}"]
        else:  # nobody has tried yet what was found
            tried = f"if {self.results} is None and {remembered}:"
            lines += [f"if {condition}:", f"    {launched}", f"    {tried}", f"        {launched}"]
        if not fast.records:
            return lines
        return [*lines, f"    if {self.results} is not None:", f"        return {named(self.code, self.results)}"]

    @property
    def _launched(self) -> str:
        fast = self.code.fast
        return f"{self.results} = {fast.looked_up_by}.launch({', '.join(fast.arg_kinds)})"

    @property
    def by_kernel(self) -> list[str]:
        made = [f"{self.results} = {self.made}"]
        attempt = [
            "try:",
            *(f"    {line}" for line in self._unless_in_place(made)),
            "except Exception as error:",
            f"    reraise(name, error, ({self.code.general_parameters},))",
        ]
        lines = [*self.computed, *attempt]
        if not self.code.fast.launches or self.code.fast.records:
            return lines
        return [f"if {self.results} is None:", *(f"    {line}" for line in lines)]

    def _unless_in_place(self, made: list[str]) -> list[str]:
        code = self.code
        if code.writer is None:
            return made
        first, *others = code.fast.kernel_arguments
        tensors = star_args(f"*{a.name}" if a.type.is_list else a.name for a in others if a.type.is_tensor)
        value = behind(map(self._kernel_argument, others))
        return [
            f"if into is not None and is_writable(into, {first.name}, computed, ({tensors})):",
            *(f"    {line}" for line in self.remembered_in_place),
            f"    {code.writer.spelling}(into.array{value})",
            "    note_write(into, name)",
            f"    {self.results} = into",
            "else:",
            *(f"    {line}" for line in made),
        ]

    @property
    def remembered_in_place(self) -> list[str]:
        fast = self.code.fast
        call = f"{fast.looked_up_by}.remember_in_place(given, ({star_args(fast.arg_kinds)}))"
        return [call] if self.code.plan_in_place else []

    @property
    def computed(self) -> list[str]:
        code = self.code
        if code.entry.dtype == "none":
            return []
        needs_grad = ", dtype" if code.has_dtype_argument else ""
        value = f'name, "{code.entry.dtype}", {code.allowed}, {self._promoted}{needs_grad}'
        return [f"computed = {self._native_shortcut}computed_dtype({value})"]

    @property
    def _promoted(self) -> str:
        takes_numbers = self.code.entry.dtype in ("promote", "float")
        parts = []
        for argument in self.code.arguments:
            if argument.type.is_tensor and not self.code.is_raw(argument):
                parts.append("*" * argument.type.is_list + argument.name)
            elif argument.type.base == "Scalar" and not argument.keyword_only and takes_numbers:
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
    def results(self) -> str:
        return "results" if self.code.has_multiple_outputs else "result"

    @property
    def made(self) -> str:
        code, rules = self.code, self.code.entry.result_dtype
        kernel = code.library["kernel", code.entry.compute.text].spelling
        call = f"{self._at(kernel)}({', '.join(map(self._kernel_argument, code.fast.kernel_arguments))})"
        computed = "None" if code.entry.dtype == "none" else "computed"
        if code.has_multiple_outputs:
            made = f"outputs({call}, {computed}, {rules})"
            return f"memory_formats_of({made}, {self._format_source})" if self._format_source else made
        plain = computed == "None" or rules[0] == "same"
        dtype = computed if plain else f'result_dtype("{rules[0]}", computed)'
        return self._with_format(f"adopt({call}, {dtype})")

    @property
    def _in_rows(self) -> str:
        if self.code.memory_format is not None:
            return f" and keeps_rows({self.code.arguments[0].name})"
        return f" and is_in_rows({self._format_source})" if self._format_source else ""

    @property
    def _format_source(self) -> str:
        lists = {a.name for a in self.code.tensors if a.type.is_list}
        return ", ".join(f"agreeing({n})" if n in lists else n for n in self.code.entry.memory_format_of)

    def _with_format(self, made: str) -> str:
        if self.code.memory_format is not None:
            return f"formatted(name, {made}, {self.code.arguments[0].name}, {self.code.memory_format.name})"
        if self.code.entry.converts:
            return f"formatted(name, {made}, {self.code.arguments[0].name}, None)"
        return f"memory_format_of({made}, {self._format_source})" if self._format_source else made

    def _at(self, kernel: str) -> str:
        first = next(a for a in self.code.arguments if a.type.is_tensor)
        shape = behind(filter(None, [self.code.shape_rule]))
        return f"{'at_first' if first.type.is_list else 'at'}({first.name}, {kernel}{shape})"

    def _kernel_argument(self, argument: Argument) -> str:
        if not argument.type.is_tensor:
            return argument.name
        cast = "None" if self.code.is_raw(argument) or self.code.entry.dtype == "none" else "computed"
        if argument.type.is_list:
            return f"arrays_in({argument.name}, {cast})"
        one = "stored_in" if self.code.entry.stored else "array_in"
        with_layout = argument.name in self.code.entry.memory_format_of
        return f"{one}({f'in_rows({argument.name})' if with_layout else argument.name}, {cast})"

    @property
    def written(self) -> list[str]:
        if self.code.has_multiple_outputs:
            return []
        elsewhere = " and result is not into" if self.code.writer else ""
        return [f"if into is not None{elsewhere}:", "    result = write(name, into, result)"]

    @property
    def undefined(self) -> list[str]:
        why = self.code.entry.undefined_gradients
        if not why:
            return []
        results = "results" if self.code.has_multiple_outputs else "(result,)"
        call = f'record_undefined(name, {results}, ({", ".join(why)},), "{next(iter(why.values()))}")'
        return ["if grad_mode.grad or watch.active:", f"    {call}"]

    @property
    def returned(self) -> str:
        code, result = self.code, self.results
        if code.node is not None:
            into = "" if code.entry.compute.kind == "view" or code.has_multiple_outputs else ", into=into"
            result = f"{code.node_class}.record({result}, {code.general_parameters}{into})"
        result = named(code, result)
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
