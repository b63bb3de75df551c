"""The functions of an op as the templates of ops/ lay them out: a step is a list of lines, perhaps empty."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..library.op_library import Part
from ..spec.model import Argument
from .calls import behind, handed_on, python_names, star_args
from .composite import deprecated_calls
from .general_path import General, checked, named, rule
from .op import OpCode
from .overloads import Dispatcher

Overloads = Mapping[str, list[OpCode]]  # function -> the ops that share it


@dataclass(frozen=True)
class Public:
    code: OpCode
    template = "function"

    @property
    def header(self) -> str:
        return f"{self.code.name}({self.code.parameters(out=True, numpy=True, more=True)}) -> {self.code.returns}"

    @property
    def docstring(self) -> str:
        return self.code.docs.text

    @property
    def lines(self) -> list[str]:
        code = self.code
        first = [*self.deprecated, *code.renamed, *self.unchanged, *self.fast, *self.intercepted]
        if not self._is_composite:
            return first + self.computed
        return [*first, f'name = "{self.op}"', *self.written, *self.prepared, *code.composite.lines, *self.remembered]

    @property
    def after(self) -> list[str]:
        return [*self.code.result_type, ""] if self._is_composite else []

    @property
    def _is_composite(self) -> bool:
        return self.code.entry.compute.kind == "composite"

    @property
    def op(self) -> str:
        return self.code.entry.schema.name

    @property
    def _plain(self) -> str:
        return " and out is None" if self.code.has_out else ""

    @property
    def deprecated(self) -> list[str]:
        args = [a.python_name for a in self.code.arguments if not a.keyword_only]
        return deprecated_calls(self.code.name, args, [self.code], self.code.has_out) if self.code.is_shown else []

    @property
    def unchanged(self) -> list[str]:
        kinds = "".join(kind[0] for kind in self.code.entry.identity)
        condition = f'isinstance(input, Tensor) and input._dtype.kind in "{kinds}"{self._plain}'
        return [f"if {condition}:", "    return input"] if kinds else []

    @property
    def fast(self) -> list[str]:
        code, fast = self.code, self.code.fast
        names = python_names(code.arguments)
        lines = [] if fast.calls_planned else self._tried
        if code.writes_first:
            return [*lines, *InplaceCode(code).fast]
        if self._is_composite:
            condition = self._plain if fast.calls_planned else ""
            keeps = fast.keeps_views or fast.calls_planned
            result = self._launched(condition, f"{fast.looked_up_by}.launch({names})") if keeps else []
            return [*lines, *result]
        if fast.applies:
            lines += self._elementwise()
        if fast.recalls:
            made = f"{code.lazy_constructor}(result)" if code.lazy_constructor else "result"
            lines += self._launched("", f"{fast.looked_up_by}.launch({names})", result=made)
        if code.entry.converts:
            lines += self._launched(self._plain, f"{fast.looked_up_by}.launch({names})")
        if fast.launches_unchecked:
            call = f"{fast.looked_up_by}.launch({python_names(fast.kernel_arguments)})"
            lines += self._launched(f"{self._plain}{fast.without_others}", call, result=named(code, "result"))
            lines += self._converted if code.has_dtype_argument else []
        return lines

    @property
    def _converted(self) -> list[str]:
        first, *others = self.code.arguments
        dtype = next(a for a in others if a.type.base == "ScalarType").python_name
        converted = f"(converted := in_input_dtype({first.python_name}, {dtype})) is not None"
        rest = behind(handed_on(a for a in others if a.type.base != "ScalarType"))
        return [
            f"if {dtype} is not None{self._plain} and not watch.every and {converted}:",
            f"    return {self.code.name}(converted{rest})",
        ]

    @property
    def _tried(self) -> list[str]:
        names = python_names(self.code.arguments)
        calls = [f"{each}.launch({names})" for each in self.code.fast.tried]
        lines = self._launched(self._plain, *calls) if calls else []
        for condition, call in self.code.fast.tried_calls:
            lines += self._launched(f"{self._plain}{condition}", call)
        return lines

    def _launched(self, condition: str, *calls: str, result: str = "result") -> list[str]:
        answered = ["    if result is not None:", f"        return {result}"]
        unwatched = "not watch.every"
        if self.code.entry.autocast:
            unwatched = "(not watch.casts or uncast())" if condition else "not watch.casts or uncast()"
        answers = [line for call in calls for line in (f"    result = {call}", *answered)]
        return [f"if {unwatched}{condition}:", *answers]

    def _elementwise(self) -> list[str]:
        code, fast = self.code, self.code.fast
        lines = self._launched(f"{self._plain}{fast.condition}", f"{code.kernel}.launch({fast.operands})")
        if len(code.tensors) != 2 or fast.checks_numbers or code.raw:
            return lines
        operands = f"({python_names(code.tensors)}), ({star_args(n.python_name for n in code.numbers)})"
        lines += [f'    result = run_rows({code.kernel}, "{self.op}", {operands})', "    if result is not None:"]
        if code.node:
            needs_grad = " or ".join(f"{a.python_name}._requires_grad" for a in code.node.arguments)
            retained = behind(python_names(code.arguments).split(", "))
            record = f"            {code.node_class}.record(result{retained})"
            lines += [f"        if ({needs_grad}) and grad_mode.grad:", record]
        return [*lines, "        return result"]

    @property
    def before(self) -> list[str]:
        device_names = {f"like {a.name}": f"like {index}" for index, a in enumerate(self.code.arguments)}
        value = self.code.entry.autocast.items()
        phrases = ", ".join(f"{device}={device_names.get(word, word)!r}" for device, word in value)
        lines = [f"@autocast_as({phrases})"] if phrases else []
        return [*lines, *self._core_dims()]

    def _core_dims(self) -> list[str]:
        program = self.code.entry.indexed
        if program is None:
            return []
        dims = {a.name: len(program.arrays[a.name].dims) for a in self.code.tensors}
        listed = ", ".join(f"{a.python_name}={dims[a.name]}" for a in self.code.tensors)
        return [f"@core_dims({listed})"]

    @property
    def intercepted(self) -> list[str]:
        return intercepted(self.code, self.code.name, self.code.arguments, ", out=out" if self.code.has_out else "")

    @property
    def computed(self) -> list[str]:
        code = self.code
        if code.writes_first:
            return around_write(code, self.op, code.arguments[0], [write_call(code, self.op, code.arguments[0])])
        first = next(iter(code.arguments), None)
        lines = self.written
        # Only what stands for an operator takes a number for the first tensor of an element-wise op
        if first and first.type.is_tensor and code.entry.compute.kind == "elementwise" and not code.starts_with_number:
            lines.append(f'checks.tensor("{self.op}", "{first.python_name}", {first.python_name})')
        return [*lines, f"return {self._call}"]

    @property
    def _call(self) -> str:
        return f'_{self.code.name}("{self.op}"{behind(a.python_name for a in self.code.arguments)})'

    @property
    def written(self) -> list[str]:
        code = self.code
        if not code.has_out:
            return []
        writer = "write_outs" if code.has_multiple_outputs else "write_out"
        if self._is_composite:
            call = f"{code.name}({', '.join(handed_on(code.arguments))})"
            return ["if out is not None:", f"    return {writer}(name, out, {call})"]
        lines, fast = ["if out is not None:"], code.fast
        if fast.applies:
            call = f"{code.kernel}.launch_out({fast.operands}, out)"
            lines += [f"    if not watch.every{fast.condition} and {call} is not None:", "        return out"]
        share = f'({code.tensor_names},), share="{code.may_share}"'
        return [*lines, f'    return {writer}("{self.op}", out, {self._call}, {share})']

    @property
    def prepared(self) -> list[str]:
        code, lines = self.code, []
        if code.fast.tries_view or code.fast.keeps_views:
            lines.append(f"unchecked = ({star_args(a.python_name for a in code.arguments[1:])})")
        if code.fast.calls_planned:
            lines.append(f"unchecked = ({star_args(a.python_name for a in code.arguments)})")
        for argument in code.arguments:
            lines += [f"{argument.name} = {argument.python_name}"] if argument.name != argument.python_name else []
            lines += checked(code, argument)
        return lines + rule(code)

    @property
    def remembered(self) -> list[str]:
        if self.code.fast.keeps_views:
            return [
                f"{self.code.fast.looked_up_by}.remember_made({self.code.tensors[0].name}, unchecked, result)",
                "return result",
            ]
        if not self.code.fast.tries_view:
            return []
        retained = star_args(a.name for a in self.code.arguments[1:])
        return [f"{self.code.fast.tried[0]}.remember_as(self, unchecked, ({retained}))", "return result"]


@dataclass(frozen=True)
class InplaceCode:
    """The function with an underscore, which writes to its first tensor."""

    code: OpCode
    template = "function"
    after = ()

    @property
    def header(self) -> str:
        parameters = self.code.parameters(numpy=True, inplace=True, more=True)
        return f"{self.code.inplace_name}({parameters}) -> {self.code.returns}"

    @property
    def docstring(self) -> str:
        return self.code.docs.inplace_doc

    @property
    def lines(self) -> list[str]:
        return [*self.deprecated, *self.code.renamed, *self.written]

    @property
    def before(self) -> list[str]:
        """What is written to is never cast; nor are the operands of a composite, which calls the function besides."""
        cast = self.code.entry.autocast and self.code.entry.compute.kind == "composite"
        return ['@autocast_as(cpu="off", cuda="off")'] if cast else []

    @property
    def op(self) -> str:
        return f"{self.code.entry.schema.name}_"

    @property
    def deprecated(self) -> list[str]:
        args = [a.python_name for a in self.code.inplace_arguments if not a.keyword_only]
        return deprecated_calls(self.op, args, [self.code]) if self.code.is_shown else []

    @property
    def written(self) -> list[str]:
        code, kind = self.code, self.code.entry.compute.kind
        caught = intercepted(code, code.inplace_name, code.inplace_arguments)
        if kind == "view":
            others = behind(a.python_name for a in code.arguments[1:])
            return [*caught, f'return view_in_place("{self.op}", input, {code.name}{others})']
        target = code.inplace_arguments[0]
        if code.inplace_formula is not None:
            return [*caught, *self._by_formula(code.inplace_formula, target)]
        if kind == "composite":
            value = ", ".join(handed_on(code.arguments)).replace("input", "original", 1)
            computed = [f'adopt_result("{self.op}", input, {code.name}({value}))']
        else:
            unrecorded = not code.node and not code.entry.undefined_gradients
            computed = [write_call(code, self.op, target), *["overwrite(input, before)"] * unrecorded]
        return [*self.fast, *caught, *around_write(code, self.op, target, computed, code.old_value_readers)]

    def _by_formula(self, formula: Part, target: Argument) -> list[str]:
        code = self.code
        others = behind(a.name for a in code.arguments if a is not target)
        check_shape = [f'check_shape("{self.op}", input, {target.name})'] if code.rule else []
        return [
            looked_at(code, self.op, target, ""),
            f'name = "{code.entry.schema.name}"',
            *Public(code).prepared,
            *check_shape,
            f"return {formula.spelling}(input{others})",
        ]

    @property
    def fast(self) -> list[str]:
        code, fast = self.code, self.code.fast
        if code.plan_in_place:
            call = f"{fast.looked_up_by}.launch_in_place({python_names(fast.kernel_arguments)})"
            return [f"if not watch.every and {call} is not None:", "    return input"]
        if not fast.applies or code.entry.result_dtype[0] != "same" or len(code.tensors) > 2:
            return []
        call = f"{code.kernel}.launch_in_place({fast.operands})"
        return [f"if not watch.every{fast.condition} and {call} is not None:", "    return input"]


Function = Public | InplaceCode | General | Dispatcher


def intercepted(code: OpCode, function: str, arguments: Sequence[Argument], out: str = "") -> list[str]:
    rule = repr(code.batch_rule) if code.own_rule is None else code.own_rule.spelling
    call = f'intercept("{code.entry.schema.full_name}", {function}, {rule}{behind(handed_on(arguments))}{out})'
    looked = list(filter(None, [*(foreign(code, a) for a in arguments), "out.__class__ not in plain" if out else ""]))
    interceptor_test = " or ".join(looked) or "watch.interceptors"
    interceptor_test = f"({interceptor_test})" if len(looked) > 1 else interceptor_test
    return [f"if {interceptor_test} and (result := {call}) is not NOT_HANDLED:", "    return result"]


def foreign(code: OpCode, argument: Argument) -> str:
    """The condition that an argument may have a `__torch_function__`; empty where it is not looked at: options, and
    numbers that a composite hands on, of which there may be many and native code has looked at none."""
    type_, name = argument.type, argument.python_name
    hands_on = code.entry.compute.kind == "composite" and not code.fast.tried
    if not type_.is_tensor and (hands_on or type_.base not in ("Scalar", "int", "float")):
        return ""
    return f"foreign({name})" if type_.is_list else f"{name}.__class__ not in plain"


def around_write(code: OpCode, op: str, target: Argument, computed: Sequence[str], keep: str = "") -> list[str]:
    name, looked = target.python_name, looked_at(code, op, target, keep)
    return [f"original = {looked}", f"before = {name}._grad_fn", *computed, f"return after_write({name}, before)"]


def looked_at(code: OpCode, op: str, target: Argument, keep: str) -> str:
    value = f'"{op}", {target.python_name}, ({code.tensor_names},), keep=({keep}), share="{code.may_share}"'
    replaces = ", replaces=True" if code.entry.replaces else ""
    by_result = ", by_result=True" if code.node and code.node.by_result else ""
    return f"before_write({value}{replaces}{by_result})"


def write_call(code: OpCode, op: str, target: Argument) -> str:
    value = behind("original" if a is target else a.python_name for a in code.arguments)
    return f'_{code.name}("{op}"{value}, into={target.python_name})'


def functions_of(ops: Sequence[OpCode], shared: Overloads, shared_in_place: Overloads) -> Iterator[Function]:
    for code in ops:
        yield Public(code)
        if code.has_inplace:
            yield InplaceCode(code)
        if code.entry.compute.kind != "composite":
            yield General(code)
    yield from (Dispatcher(name, codes) for name, codes in shared.items())
    yield from (Dispatcher(name, codes, inplace=True) for name, codes in shared_in_place.items())


def looked_up_by(ops: Sequence[OpCode]) -> list[str]:
    lines = [kernel_op(code) for code in ops if code.entry.compute.kind == "kernel" or code.fast.keeps_plans]
    for code in (code for code in ops if code.fast.calls_planned):
        value = f'"{code.entry.schema.name}", {code.fast.calls_planned}, {code.fast.arg_kinds}'
        lines.append(f"{code.fast.looked_up_by} = CalledKernelOp({value})")
    for code in (code for code in ops if code.entry.converts):
        lines.append(f'{code.fast.looked_up_by} = Conversion("{code.entry.schema.name}", {code.node_class})')
    for code in (code for code in ops if code.fast.recalls or code.fast.keeps_views):
        value = behind(f'"{a.name}"' for a in code.arguments) + ", multiple_views=True" * code.gives_list
        node = code.node_class if code.fast.recalls else None
        value += f', retypes="{code.entry.result_dtype[0]}"' if code.fast.recalls and code.retypes else ""
        lines.append(f'{code.fast.looked_up_by} = ViewOp("{code.entry.schema.name}", {node}{value})')
    return lines


def kernel_op(code: OpCode) -> str:
    """The record of an op with a kernel, or with plans that write to its first tensor."""
    fast, entry = code.fast, code.entry
    part = code.library.get("kernel", entry.compute.text)
    plan = code.plan.spelling if code.plan and fast.launches else None
    first = f'"{entry.schema.name}", {plan}, {part.spelling if part else None}, {code.node_class}, {fast.arg_kinds}'
    named = {**_of_plans(code), **(_of_kernel(code) if entry.compute.kind == "kernel" else {})}
    return f"{fast.kernel_op} = KernelOp({first}{behind(f'{key}={value}' for key, value in named.items())})"


def _of_plans(code: OpCode) -> dict[str, str]:
    fast, writing = code.fast, code.plan_in_place
    named = {
        "outputs": f"{len(code.entry.schema.returns)}" * code.has_multiple_outputs,
        "in_place": writing.spelling if writing else "",
        "moves": "True" if writing and code.moves is not None else "",
        "refused": repr(fast.rejected_integers) if fast.rejected_integers else "",
        "records": "False" if code.node and not fast.records else "",
        "is_planned": "" if fast.keeps_plans else "False",
        "after_checks": "True" if fast.launches and not fast.launches_unchecked else "",
    }
    return {key: value for key, value in named.items() if value}


def _of_kernel(code: OpCode) -> dict[str, str]:
    entry = code.entry
    names, operands = tuple(a.name for a in code.arguments), tuple(code.fast.arg_kinds)
    promotes = entry.dtype in ("promote", "float")
    numbers = tuple(a.name for a in code.numbers if promotes and a.type.base == "Scalar" and not a.keyword_only)
    rules: dict[str, object] = {
        "arguments": names if names != operands else (),
        "rule": entry.dtype,
        "allowed": code.allowed,
        "dtypes": entry.result_dtype if set(entry.result_dtype) != {"same"} else (),
        "numbers": numbers,
        "formats": ("*",) if entry.converts else entry.memory_format_of,
        "stored": entry.stored,
        "undefined": dict(entry.undefined_gradients),
    }
    named = {key: repr(value) for key, value in rules.items() if value}
    named |= {"shape": code.shape_rule} if code.shape_rule else {}
    return named | ({"writer": code.writer.spelling} if code.writer else {})
