"""A graph as the text of a Python function: its names, and its operators."""

import sys
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ...runtime.device.device import device
from ...runtime.namespace import OWN, known
from ...runtime.tensor.dtypes import dtype
from ...runtime.tensor.memory_format import layout, memory_format
from ...runtime.tensor.tensor import TensorBase
from .names import Namespace, is_ours, qualified_name
from .node import Node
from .node_arguments import GraphLike, last_uses

# Of each function's name the operation on operands {0} and {1}.
BINARY = {
    "add": "+", "sub": "-", "mul": "*", "floordiv": "//", "truediv": "/", "mod": "%", "pow": "**", "lshift": "<<",
    "rshift": ">>", "and_": "&", "or_": "|", "xor": "^", "matmul": "@", "eq": "==", "ne": "!=", "lt": "<", "gt": ">",
    "le": "<=", "ge": ">=",
}  # fmt: skip
REFLECTED = tuple(name for name in BINARY if name not in ("eq", "ne", "lt", "gt", "le", "ge"))
UNARY = {"pos": "+", "neg": "-", "invert": "~"}
SYMBOLS = {name: f"{{}} {sign} {{}}" for name, sign in BINARY.items()} | {
    "pos": "+{}",
    "neg": "-{}",
    "invert": "~{}",
    "getitem": "{}[{}]",
}


def method_name(name: str) -> str:
    return f"__{name.rstrip('_')}__"


_CONSTANTS = (dtype, layout, memory_format)  # which the package has under their names
_PLAIN = (bool, int, str, type(None), bytes)
Lines = list[str]


@dataclass
class PythonCode:
    """The text of a function, and the values of the names in it that are neither its own nor builtins.

    Args:
        src: the text.
        globals: the values by name.
    """

    src: str
    globals: dict[str, Any]
    _lineno_map: dict[int, int | None] = field(default_factory=dict)


class CodeGen:
    """Writes the code of graphs; a subclass may write the first line, and what returns, in another way."""

    def __init__(self) -> None:
        self._body_transformer: Callable[[Lines], Lines] | None = None

    def gen_fn_def(self, free_vars: list[str], maybe_return_annotation: str) -> str:
        """The function's first line: parameters `free_vars`, and `maybe_return_annotation`, empty or ` -> ...`."""
        parameters = free_vars if free_vars and free_vars[0] == "self" else ["self", *free_vars]
        return f"def forward({', '.join(parameters)}){maybe_return_annotation}:"

    def generate_output(self, output_args: str) -> str:
        """The line that returns `output_args`, the result as text."""
        return f"return {output_args}"

    def transformed_by(self, make: Callable[[Any], Any]) -> Any:
        """Let a function change the lines: `make` gets the one before and gives the one to use."""
        before, self._body_transformer = self._body_transformer, make(self._body_transformer)

        @contextmanager
        def until_its_end() -> Any:
            try:
                yield
            finally:
                self._body_transformer = before

        return until_its_end()

    def python_code(self, graph: GraphLike, root_module: str, verbose: bool = False) -> PythonCode:
        """The code of `graph`, in which the module is `root_module`; with `verbose` comments say what results are."""
        return _Writer(self, graph, root_module, verbose).written()


class _Writer:
    def __init__(self, codegen: CodeGen, graph: GraphLike, root: str, verbose: bool) -> None:
        self.codegen = codegen
        self.graph = graph
        self.root = root
        self.verbose = verbose
        self.names = Namespace()
        self.globals: dict[str, Any] = {}
        self.parameters: list[str] = []
        self.defaults: list[str] = []
        self.returns = ""
        for node in graph.nodes:
            self.names.associate(node.name, node)

    def written(self) -> PythonCode:
        """The whole function; names that are used for the last time are set to None behind that line."""
        last = last_uses(self.graph)
        lines: Lines = []
        for node in self.graph.nodes:
            line = self.line(node)
            if line is not None:
                lines.append(line + self._freed(node, last) + "\n")
        if self.codegen._body_transformer is not None:
            lines = self.codegen._body_transformer(lines)
        head = self.codegen.gen_fn_def([self.root, *self.parameters], self.returns)
        body = "".join(lines) or "pass\n"
        indented = "\n".join("    " + line for line in "".join([*self.defaults, body]).split("\n"))
        return PythonCode(f"\n\n\n{head}\n{indented}", self.globals)

    def _freed(self, node: Node, last: dict[Node, list[Node]]) -> str:
        if node.op in ("placeholder", "output"):
            return ""
        freed = [used.name for used in last.get(node, [])]
        if not node.users:
            freed.append(node.name)
        return f";  {' = '.join(freed)} = None" if freed else ""

    def line(self, node: Node) -> str | None:
        if node.op == "placeholder":
            self._parameter(node)
            return None
        if node.op == "output":
            self.returns = f" -> {self.annotation(node.type)}" if node.type is not None else ""
            return self.codegen.generate_output(self.text(node.args[0]))
        value = self.value(node)
        annotation = f" : {self.annotation(node.type)}" if node.type is not None else ""
        return f"{node.name}{annotation} = {value}{self._comment(node)}"

    def _comment(self, node: Node) -> str:
        result = node.meta.get("tensor_meta") if self.verbose else None
        return "" if result is None or not hasattr(result, "shape") else f"  # {list(result.shape)}, {result.dtype}"

    def _parameter(self, node: Node) -> None:
        annotation = f" : {self.annotation(node.type)}" if node.type is not None else ""
        default = f" = {self.text(node.args[0])}" if node.args else ""
        raw = node.target
        self.parameters.append(f"{raw}{annotation}{default}")
        if raw.replace("*", "") != node.name:
            self.defaults.append(f"{node.name} = {raw.replace('*', '')}\n")

    def value(self, node: Node) -> str:
        if node.op == "get_attr":
            return _path(self.root, node.target)
        if node.op == "call_module":
            return f"{_path(self.root, node.target)}({self.arguments(node.args, node.kwargs)})"
        if node.op == "call_method":
            first, *rest = node.args
            return f"{self.text(first)}.{node.target}({self.arguments(tuple(rest), node.kwargs)})"
        return self.call(node)

    def call(self, node: Node) -> str:
        name, module = getattr(node.target, "__name__", ""), getattr(node.target, "__module__", "")
        if module == "_operator" and name in SYMBOLS and not node.kwargs:
            spelled = self.text if name == "getitem" else self.operand
            return SYMBOLS[name].format(*map(spelled, node.args))
        if node.target is getattr and len(node.args) == 2 and str(node.args[1]).isidentifier():
            return f"{self.text(node.args[0])}.{node.args[1]}"
        return f"{self.global_name(node.target)}({self.arguments(node.args, node.kwargs)})"

    def operand(self, value: Any) -> str:
        text = self.text(value)
        return f"({text})" if isinstance(value, (int, float)) and text.startswith("-") else text

    def arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
        return ", ".join([*map(self.text, args), *(f"{name} = {self.text(value)}" for name, value in kwargs.items())])

    def text(self, value: Any) -> str:
        if isinstance(value, Node):
            return value.name
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return f"{self.global_name(type(value))}({', '.join(map(self.text, value))})"
        if isinstance(value, tuple):
            return f"({', '.join(map(self.text, value))}{',' if len(value) == 1 else ''})"
        if isinstance(value, list):
            return f"[{', '.join(map(self.text, value))}]"
        if isinstance(value, dict):
            return "{" + ", ".join(f"{key!r}: {self.text(item)}" for key, item in value.items()) + "}"
        if isinstance(value, slice):
            return f"slice({self.text(value.start)}, {self.text(value.stop)}, {self.text(value.step)})"
        return self.constant(value)

    def constant(self, value: Any) -> str:
        if isinstance(value, _CONSTANTS):
            return self.of_package(f"{known.name}.{str(value).rpartition('.')[2]}")
        if isinstance(value, device):
            return f"{self.of_package(f'{known.name}.device')}({str(value)!r})"
        if isinstance(value, (float, complex)):
            return self._number(value)
        if isinstance(value, _PLAIN) or value is Ellipsis:
            return repr(value)
        if isinstance(value, TensorBase):
            raise NotImplementedError("a tensor is an attribute of the module: add it with get_attr")
        return self.global_name(value)

    def _number(self, value: complex) -> str:
        text = repr(value)
        for name, number in (("inf", float("inf")), ("nan", float("nan"))):
            if name in text:
                self.globals[name] = number
        return text

    def global_name(self, value: Any) -> str:
        if is_ours(value):
            return self.of_package(qualified_name(value))
        if value in (int, float, bool, str, list, tuple, dict, len, getattr, sum, max, min) or value is type(None):
            return "type(None)" if value is type(None) else str(value.__name__)
        hint = qualified_name(value).replace(".", "_") if callable(value) else type(value).__name__.lower()
        name = self.names.create_name(hint, value)
        self.globals[name] = value
        return name

    def of_package(self, text: str) -> str:
        self.globals[known.name] = sys.modules[OWN]
        return text

    def annotation(self, kind: Any) -> str:
        if isinstance(kind, str):
            return repr(kind)
        if isinstance(kind, type) and issubclass(kind, TensorBase) and kind.__name__ == "Tensor":
            return self.of_package(f"{known.name}.Tensor")
        if kind in (int, float, bool, str, list, tuple, dict):
            return str(kind.__name__)
        name = self.names.create_name(f"type_{getattr(kind, '__name__', 'hint')}", kind)
        self.globals[name] = kind
        return name


def _path(root: str, target: str) -> str:
    text = root
    for part in target.split("."):
        text = f"{text}.{part}" if part.isidentifier() else f'getattr({text}, "{part}")'
    return text
