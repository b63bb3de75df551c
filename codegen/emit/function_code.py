"""The functions of an op as the templates of ops/ lay them out: a step is a list of lines, perhaps empty.

A kind of computation has a template of its own: `public.py.j2` for functions that call a general path, which
`elementwise.py.j2`, `view.py.j2` and `kernel.py.j2` give, `composite.py.j2`, and `write.py.j2` for what only writes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .dispatcher_code import Dispatcher, renamed, spread
from .general_code import General, checked, named, result_type, rule
from .op_code import OpCode

Overloads = Mapping[str, list[OpCode]]  # function -> the ops that share it


def names(code: OpCode) -> str:
    """The arguments of a call, as the public function calls them."""
    return ", ".join(a.python_name for a in code.arguments)


@dataclass(frozen=True)
class Public:
    """The function that users call."""

    code: OpCode

    @property
    def template(self) -> str:
        kind = self.code.entry.compute.kind
        return "composite" if kind == "composite" else "write" if self.code.writes_first else "public"

    @property
    def op(self) -> str:
        return self.code.entry.schema.name

    @property
    def renamed(self) -> list[str]:
        return renamed(self.code.numpy_names)

    @property
    def _plain(self) -> str:
        """The condition that no result is to be written into a given tensor."""
        return " and out is None" if self.code.has_out else ""

    @property
    def unchanged(self) -> list[str]:
        """The input itself where its dtype says that nothing changes."""
        if not self.code.entry.identity:
            return []
        condition = f'isinstance(input, Tensor) and input._dtype.kind in "{self.code.identity_kinds}"{self._plain}'
        return [f"if {condition}:", "    return input"]

    @property
    def fast(self) -> list[str]:
        """What native code answers where nobody watches."""
        fast = self.code.fast
        lines = self._launched(self._plain, f"{fast.tried}.launch({names(self.code)})") if fast.tried else []
        if self.template != "public":
            return lines
        if fast.applies:
            lines += self._elementwise()
        if fast.recalls:
            lines += self._launched("", f"{fast.found_by}.launch({names(self.code)})")
        if fast.has_plan:
            given = ", ".join(a.python_name for a in fast.kernel_arguments)
            condition = f"{self._plain}{fast.without_others}"
            lines += self._launched(condition, f"{fast.found_by}.launch({given})", named(self.code, "result"))
        return lines

    def _launched(self, condition: str, call: str, result: str = "result") -> list[str]:
        answered = ["    if result is not None:", f"        return {result}"]
        return [f"if not watch.active{condition}:", f"    result = {call}", *answered]

    def _elementwise(self) -> list[str]:
        """The kernel of flat arrays, then rows of any layout."""
        code, fast = self.code, self.code.fast
        kernel = f"kernels.{code.entry.identifier.upper()}"
        undefined = " and not grad_mode.grad" if code.entry.undefined_gradients else ""
        lines = self._launched(f"{self._plain}{undefined}{fast.condition}", f"{kernel}.launch({fast.operands})")
        if fast.runs_by_rows:
            lines += [
                f'    result = run_rows({kernel}, "{self.op}", {fast.rows_operands})',
                "    if result is not None:",
            ]
            if code.node:
                lines += [
                    f"        if ({fast.requires_grad}) and grad_mode.grad:",
                    f"            functions.{code.node.class_name}.record(result{fast.record})",
                ]
            lines += ["        return result"]
        return lines

    @property
    def intercepted(self) -> list[str]:
        """The answer of whoever takes the op's place: vmap, the profiler."""
        out = ", out=out" if self.code.has_out and not self.code.writes_first else ""
        return intercepted(self.code, self.code.name, f"{self.code.intercepted}{out}")

    @property
    def call(self) -> str:
        """The call of the general path."""
        return f'_{self.code.name}("{self.op}"{"".join(f", {a.python_name}" for a in self.code.arguments)})'

    @property
    def written(self) -> list[str]:
        """The result put into `out`."""
        if not self.code.has_out:
            return []
        writer = "write_outs" if len(self.code.entry.schema.returns) > 1 else "write_out"
        if self.template == "composite":
            return ["if out is not None:", f"    return {writer}(name, out, {self.code.name}({self.code.passed}))"]
        share = f'({self.code.tensor_names},), share="{self.code.may_share}"'
        return ["if out is not None:", f'    return {writer}("{self.op}", out, {self.call}, {share})']

    @property
    def first_checked(self) -> list[str]:
        """Only operators may give a number for the first tensor."""
        if not self.code.accepts_number_first:
            return []
        first = self.code.arguments[0].python_name
        return [f'checks.tensor("{self.op}", "{first}", {first})']

    @property
    def prepared(self) -> list[str]:
        """The arguments of a composite, checked and under the schema's names; before that what a view is kept by."""
        code, lines = self.code, []
        if code.fast.tries_view:
            lines.append(f"given = ({spread(a.python_name for a in code.arguments[1:])})")
        for argument in code.arguments:
            lines += [f"{argument.name} = {argument.python_name}"] if argument.name != argument.python_name else []
            lines += checked(code, argument.name)
        return lines + rule(code)

    @property
    def remembered(self) -> list[str]:
        """The view that a composite turned out to be, for the next call."""
        if not self.code.fast.tries_view:
            return []
        kept = spread(a.name for a in self.code.arguments[1:])
        return [f"{self.code.fast.tried}.remember_as(self, given, ({kept}))", "return result"]

    @property
    def result_type(self) -> list[str]:
        """The named tuple of a composite with several outputs."""
        return result_type(self.code) if self.code.composite.names_outputs else []

    @property
    def first(self) -> str:
        return self.code.arguments[0].python_name

    @property
    def others(self) -> str:
        """The arguments behind the first."""
        return "".join(f", {a.python_name}" for a in self.code.arguments[1:])

    @property
    def before_write(self) -> str:
        return before_write(self.code, self.op, self.first, "")


@dataclass(frozen=True)
class InPlace:
    """The function with an underscore, which writes to its first tensor."""

    code: OpCode
    template = "in_place"

    @property
    def op(self) -> str:
        return f"{self.code.entry.schema.name}_"

    @property
    def renamed(self) -> list[str]:
        return renamed(self.code.numpy_names)

    @property
    def intercepted(self) -> list[str]:
        return intercepted(self.code, self.code.inplace_name, self.code.intercepted_inplace)

    @property
    def written(self) -> list[str]:
        """Around and with the computation: what is written to is looked at before, and recorded after."""
        code, kind = self.code, self.code.entry.compute.kind
        if kind == "view":
            others = "".join(f", {a.python_name}" for a in code.arguments[1:])
            return [*self.intercepted, f'return view_in_place("{self.op}", input, {code.name}{others})']
        keep = code.old_value_readers
        lines = [*self._fast, *self.intercepted, f"original = {before_write(code, self.op, 'input', keep)}"]
        lines.append("before = input._fn")
        if kind == "composite":
            given = code.passed.replace("input", "original", 1)
            lines.append(f'adopt_result("{self.op}", input, {code.name}({given}))')
        else:
            given = "".join(f", {'original' if a.name == 'self' else a.python_name}" for a in code.arguments)
            lines.append(f'_{code.name}("{self.op}"{given}, into=input)')
            lines += [] if code.node or code.entry.undefined_gradients else ["overwrite(input, before)"]
        return [*lines, "return after_write(input, before)"]

    @property
    def _fast(self) -> list[str]:
        fast, entry = self.code.fast, self.code.entry
        if not fast.applies_in_place:
            return []
        undefined = " and not grad_mode.grad" if entry.undefined_gradients else ""
        call = f"kernels.{entry.identifier.upper()}.launch_in_place({fast.operands})"
        return [f"if not watch.active{undefined}{fast.condition} and {call} is not None:", "    return input"]


Function = Public | InPlace | General | Dispatcher


def intercepted(code: OpCode, function: str, arguments: str) -> list[str]:
    call = f'intercept("{code.entry.schema.full_name}", {function}, {arguments})'
    return [f"if watch.interceptors and (result := {call}) is not NOT_HANDLED:", "    return result"]


def before_write(code: OpCode, op: str, first: str, keep: str) -> str:
    """The call that looks at what is written to; its result stands for the old values."""
    replaces = ", replaces=True" if code.entry.replaces else ""
    return f'before_write("{op}", {first}, ({code.tensor_names},), keep=({keep}), share="{code.may_share}"{replaces})'


def functions_of(ops: Sequence[OpCode], shared: Overloads, shared_in_place: Overloads) -> Iterator[Function]:
    """The functions of a family in the order of its module."""
    for code in ops:
        yield Public(code)
        if code.has_inplace:
            yield InPlace(code)
        if code.entry.compute.kind != "composite":
            yield General(code)
    yield from (Dispatcher(name, codes) for name, codes in shared.items())
    yield from (Dispatcher(name, codes, inplace=True) for name, codes in shared_in_place.items())


def found_by(ops: Sequence[OpCode]) -> list[str]:
    """The objects that know what ops with plans, and views, have found."""
    lines = []
    for code in (code for code in ops if code.fast.has_plan):
        outputs = len(code.entry.schema.returns)
        node = f"functions.{code.node.class_name}" if code.node else "None"
        several = f", outputs={outputs}" if outputs > 1 else ""
        given = f'"{code.entry.schema.name}", {code.fast.plan.spelling}, {node}, {code.fast.letters}{several}'
        lines.append(f"{code.fast.found_by} = KernelOp({given})")
    for code in (code for code in ops if code.fast.recalls):
        assert code.node is not None
        given = "".join(f', "{a.name}"' for a in code.arguments)
        lines.append(
            f'{code.fast.found_by} = ViewOp("{code.entry.schema.name}", functions.{code.node.class_name}{given})'
        )
    return lines
