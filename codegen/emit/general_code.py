"""The general path of an op as elementwise.py.j2, view.py.j2 and kernel.py.j2 lay it out: any dtype and any layout.

Each step is a list of lines, perhaps empty.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..spec.model import Argument
from .call_code import behind, spread
from .op_code import OpCode


@dataclass(frozen=True)
class General:
    code: OpCode

    @property
    def template(self) -> str:
        return self.code.entry.compute.kind

    @property
    def tensors(self) -> str:
        return spread(a.name for a in self.code.tensors)

    @property
    def numbers(self) -> str:
        """The numbers of an element-wise op; those that take part in promotion are marked."""
        promoting = [a.name for a in self.code.numbers if a.type.base == "Scalar" and not a.keyword_only]
        return spread(f"Promoting({a.name})" if a.name in promoting else a.name for a in self.code.numbers)

    @property
    def prepared(self) -> list[str]:
        """The arguments checked and normalised, and before that as they came, by which what is found is looked up."""
        code, fast = self.code, self.code.fast
        kept = fast.letters if fast.keeps_plans else [a.name for a in fast.view_arguments]
        given = [f"given = ({spread(kept)})"] if fast.keeps_plans or fast.recalls else []
        return [*given, *(line for argument in code.arguments for line in checked(code, argument)), *rule(code)]

    @property
    def geometry(self) -> list[str]:
        """The view: shape, strides and offset by the function of the spec, over the tensor's memory."""
        code, fast = self.code, self.code.fast
        function = code.library["view", code.entry.compute.text].spelling
        sizes = ", first._dtype.itemsize, kind.itemsize" if code.retypes else ""
        others = behind(a.name for a in code.arguments if a.type.base not in ("Tensor", "ScalarType"))
        place = f"({function}, first._shape, first.stride(), first._offset{sizes}{others})"
        if code.gives_list:
            kept = [f"{fast.found_by}.remember(first, given, ({self._found('places')}))"] if fast.recalls else []
            made = "result = tuple([make_view(first, place) for place in places])"
            return [f"places = geometries{place}", *kept, made]
        remembered = f"{fast.found_by}.remember(first, given, ({self._found('place')}))"
        if fast.recalls and not code.retypes:
            return [f"place = geometry{place}", remembered, "result = make_view(first, place)"]
        if code.retypes:
            kind = "dtype" if code.has_dtype_argument else f"first._dtype.to_{code.entry.result_dtype[0]}()"
            made = "typed_view" if code.node else "typed_alias"
            if fast.recalls:
                return [
                    f"kind = {kind}",
                    f"place = geometry{place}",
                    remembered,
                    f"result = {made}(first, place, kind)",
                ]
            return [f"kind = {kind}", f"result = {made}(first, geometry{place}, kind)"]
        return [f"result = make_view(first, geometry{place})"]

    def _found(self, place: str) -> str:
        """What a view op keeps of what it has found: the place, or the places, and the arguments as checked."""
        return spread([place, *(a.name for a in self.code.fast.view_arguments)])

    @property
    def planned(self) -> list[str]:
        """The compiled kernels that are found for checked arguments, tried once more; or what is launched for these."""
        fast = self.code.fast
        if not fast.launches:
            return []
        lines = [] if fast.records else [f"{self.results} = None"]
        first, letter = next(iter(fast.letters.items()))
        where = f"{first}._device is not CPU and " if letter == "T" and not self.code.plan else ""
        condition = f"{where}into is None and not watch.every{fast.without_others}{self._in_rows}"
        remembered, launched = f"{fast.found_by}.remember(given, ({spread(fast.letters)}))", self._launched
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
        return f"{self.results} = {fast.found_by}.launch({', '.join(fast.letters)})"

    @property
    def by_kernel(self) -> list[str]:
        """The outputs by a hand-written kernel, where nothing that was found has given them."""
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
        """The outputs made, if they are not written at once by a kernel that writes to its first array."""
        code = self.code
        if code.writer is None:
            return made
        first, *others = code.fast.kernel_arguments
        tensors = spread(f"*{a.name}" if a.type.is_list else a.name for a in others if a.type.is_tensor)
        given = behind(map(self._kernel_argument, others))
        return [
            f"if into is not None and is_writable(into, {first.name}, computed, ({tensors})):",
            *(f"    {line}" for line in self.remembered_in_place),
            f"    {code.writer.spelling}(into.array{given})",
            "    note_write(into, name)",
            f"    {self.results} = into",
            "else:",
            *(f"    {line}" for line in made),
        ]

    @property
    def remembered_in_place(self) -> list[str]:
        """The plan by which the next such call writes to its first tensor."""
        fast = self.code.fast
        call = f"{fast.found_by}.remember_in_place(given, ({spread(fast.letters)}))"
        return [call] if self.code.plan_in_place else []

    @property
    def computed(self) -> list[str]:
        code = self.code
        if code.entry.dtype == "none":
            return []
        wanted = ", dtype" if code.has_dtype_argument else ""
        given = f'name, "{code.entry.dtype}", {code.allowed}, {self._promoted}{wanted}'
        return [f"computed = {self._native_shortcut}computed_dtype({given})"]

    @property
    def _promoted(self) -> str:
        """The tensors (and positional numbers) whose dtypes decide that of the computation, as a tuple expression."""
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
        return "results" if self.code.several else "result"

    @property
    def made(self) -> str:
        """The outputs of a hand-written kernel, which computes on arrays, as tensors of their dtypes."""
        code, rules = self.code, self.code.entry.result_dtype
        kernel = code.library["kernel", code.entry.compute.text].spelling
        call = f"{self._at(kernel)}({', '.join(map(self._kernel_argument, code.fast.kernel_arguments))})"
        computed = "None" if code.entry.dtype == "none" else "computed"
        if code.several:
            made = f"outputs({call}, {computed}, {rules})"
            return f"first_laid_like({made}, {self._laid_like})" if self._laid_like else made
        plain = computed == "None" or rules[0] == "same"
        dtype = computed if plain else f'result_dtype("{rules[0]}", computed)'
        return self._laid(f"adopt({call}, {dtype})")

    @property
    def _in_rows(self) -> str:
        """The further condition of plans, whose results lie in rows: nothing asks for another order."""
        if self.code.memory_format is not None:
            return f" and keeps_rows({self.code.arguments[0].name})"
        return f" and is_in_rows({self._laid_like})" if self._laid_like else ""

    @property
    def _laid_like(self) -> str:
        """The tensors whose memory formats results have; a list has one where all of its tensors agree."""
        lists = {a.name for a in self.code.tensors if a.type.is_list}
        return ", ".join(f"agreeing({n})" if n in lists else n for n in self.code.entry.laid_like)

    def _laid(self, made: str) -> str:
        """The output in the order in memory that the entry says, or an argument."""
        if self.code.memory_format is not None:
            return f"formatted(name, {made}, {self.code.arguments[0].name}, {self.code.memory_format.name})"
        if self.code.entry.converts:
            return f"formatted(name, {made}, {self.code.arguments[0].name}, None)"
        return f"laid_like({made}, {self._laid_like})" if self._laid_like else made

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
        laid = argument.name in self.code.entry.laid_like
        return f"{one}({f'in_rows({argument.name})' if laid else argument.name}, {cast})"

    @property
    def written(self) -> list[str]:
        """The result of a kernel put into the tensor that is written to."""
        if self.code.several:
            return []
        elsewhere = " and result is not into" if self.code.writer else ""
        return [f"if into is not None{elsewhere}:", "    result = write(name, into, result)"]

    @property
    def recorded(self) -> list[str]:
        return [*self._graph, *self._undefined, *self._tangents]

    @property
    def _graph(self) -> list[str]:
        code, node = self.code, self.code.node
        if node is None:
            return []
        asked = [*node.arguments, *(a for a in code.arguments if a.name in dict(node.not_implemented))]
        wanted = " or ".join(map(_requires_grad, asked))
        record = f"{code.node_class}.record({', '.join([self.results, *node.recorded_arguments])})"
        if code.entry.compute.kind != "view":
            floats = "" if code.several else ' and result._dtype.kind in "fc"'
            return [f"if grad_mode.grad and ({wanted}){floats}:", f"    {record}"]
        recorded = [f"    if {wanted}:", f"        {record}", *["    several(result)"] * code.gives_list]
        return ["if grad_mode.grad:", *recorded, "else:", f"    not_recorded({'*' * code.gives_list}result)"]

    @property
    def _undefined(self) -> list[str]:
        """The arguments that would need a gradient which is not defined."""
        why = self.code.entry.undefined_gradients
        if not why:
            return []
        results = "results" if self.code.several else "(result,)"
        call = f'record_undefined(name, {results}, ({", ".join(why)},), "{next(iter(why.values()))}")'
        return ["if grad_mode.grad or watch.active:", f"    {call}"]

    @property
    def _tangents(self) -> list[str]:
        code, node = self.code, self.code.node
        if node is None:
            return []
        if not node.forward:
            return ["if watch.notes:", f"    watch.note({self.results})"]
        into = "" if code.several or code.entry.compute.kind == "view" else ", into"
        primals = f"({code.general_parameters},), ({spread(a.name for a in node.arguments)})"
        return ["if watch.active:", f"    propagate({code.node_class}, {self.results}, {primals}{into})"]

    @property
    def returned(self) -> str:
        found = named(self.code, self.results)
        return f"{self.code.turned}({found})" if self.code.turned else found


def _requires_grad(argument: Argument) -> str:
    name, type_ = argument.name, argument.type
    if type_.is_list:
        return f"needs_grad({name})"
    return f"({name} is not None and {name}._rg)" if type_.optional else f"{name}._rg"


def checked(code: OpCode, argument: Argument) -> list[str]:
    """The check of one argument, which plain values of its type need not pass."""
    if unlike := code.unlike(argument):
        return [f"if {unlike}:", f"    {argument.name} = {code.check(argument, given=True)}"]
    return [f"{argument.name} = {code.check(argument)}"]


def rule(code: OpCode) -> list[str]:
    if code.rule is None:
        return []
    given = code.general_parameters
    return [f"{given}{',' * (len(code.arguments) == 1)} = {code.rule.spelling}(name, {given})"]


def named(code: OpCode, results: str) -> str:
    return f"_{code.name}_result(*{results})" if code.several else results
