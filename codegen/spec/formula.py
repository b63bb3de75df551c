"""The expressions of a spec: parsed with `ast` and held to a white list of syntax.

In every tree made here `lineno` and `col_offset` are those of the YAML file, so `place(file, node)` is where
a node stands whatever the quoting and folding. Which names an expression may use is `validate`'s business.
"""

import ast
import copy
import re
import warnings
from collections.abc import Callable, Collection, Iterator

from ..language.syntax import MAX_LEVELS, MAX_TITLE_CHARS, SAMPLE_SYNTAX, TENSOR_SYNTAX, Syntax, faults, too_deep
from .model import Formula, Where
from .source import LineColumn, SourceString

Report = Callable[[Where, str], None]  # called with each mistake found

REVERSE_KEYWORDS = ("non_differentiable",)
FORWARD_KEYWORDS = ("auto_element_wise", "auto_linear", "auto_multilinear", "auto_select", "zero")

# What an attribute or a method tells about a tensor without reading its elements.
METADATA = frozenset(
    ("shape", "dtype", "ndim", "device", "size", "stride", "storage_offset", "numel", "dim", "is_contiguous")
    + ("is_complex", "is_floating_point", "new_zeros", "new_ones", "new_full", "new_empty")
)
# Functions and methods that read only the metadata of their first argument.
METADATA_OF = frozenset(("len", "sizes", "zeros_like", "ones_like", "full_like", "empty_like", "type_as"))

TOO_DEEP = f"expected an expression of at most {MAX_LEVELS} levels: make an op of a part of it"
UNNAMED = "write each argument of a sample with its name, as in self=T(3)"

CUT = " (what stands behind ' #' is a comment: put the value in quotes)"
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_BRACKET_OR_STRING = re.compile(r"""(["'])(?:\\.|(?!\1).)*\1|[()\[\]{}#]""")


def location(file: str, node: ast.AST) -> Where:
    return Where(getattr(node, "file", file), node.lineno, node.col_offset + 1)  # type: ignore[attr-defined]


def parse_formula(text: SourceString, keywords: Collection[str], report: Report) -> Formula:
    word = text.value.strip()
    if word in keywords:
        return Formula(text.value, None, text.where(), keyword=word)
    tree = parse_expression(text, TENSOR_SYNTAX, report)
    if isinstance(tree, ast.Call) and called(tree) == "not_implemented":
        match tree:
            case ast.Call(func=ast.Name(), args=[ast.Constant(value=str() as why)], keywords=[]):
                return Formula(text.value, None, text.where(), keyword="not_implemented", why=why)
        report(text.where(), 'not_implemented takes the reason: not_implemented("why")')
        return Formula(text.value, None, text.where())
    if isinstance(tree, ast.Constant) or (isinstance(tree, ast.UnaryOp) and isinstance(tree.operand, ast.Constant)):
        report(text.where(), f"{word} is a constant, where a formula belongs")
        tree = None
    return Formula(text.value, tree, text.where())


def item(full: Formula, index: int) -> Formula:
    assert full.tree is not None
    if isinstance(full.tree, ast.Tuple) and index < len(full.tree.elts):
        part = full.tree.elts[index]
        return Formula(ast.unparse(part), part, location(full.where.file, part))
    tree = ast.Subscript(copy.deepcopy(full.tree), ast.Constant(index), ast.Load())
    for node in (tree, tree.slice):
        ast.copy_location(node, full.tree)
    shown = f"{called(full.tree)}(...)" if isinstance(full.tree, ast.Call) else f"({full.text.strip()})"
    return Formula(f"{shown}[{index}]", tree, full.where)


def parse_expression(text: SourceString, syntax: Syntax, report: Report) -> ast.expr | None:
    tree = _parse(text, "", report)
    matches = list(faults(tree, tree, syntax)) if tree is not None else []
    for node, message in matches:
        report(location(text.file, node), message)
    return None if matches else tree


def parse_sample(text: SourceString, report: Report) -> dict[str, ast.expr] | None:
    call = _parse(text, "_", report)
    if not isinstance(call, ast.Call):
        return None
    matches: list[tuple[ast.AST, str]] = [(node, UNNAMED) for node in call.args]
    args = [keyword.arg for keyword in call.keywords]
    for number, keyword in enumerate(call.keywords):
        if keyword.arg is None:
            matches.append((keyword, UNNAMED))
        elif keyword.arg in args[:number]:
            matches.append((keyword, f"argument '{keyword.arg}' is given twice"))
    arguments = {k.arg: k.value for k in call.keywords if k.arg is not None}
    for value in arguments.values():
        matches += faults(value, value, SAMPLE_SYNTAX)
    for node, message in matches:
        report(location(text.file, node), message)
    return None if matches else arguments


def names(tree: ast.AST) -> list[ast.Name]:
    matches = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    return sorted(matches, key=lambda node: (node.lineno, node.col_offset))


def names_in(*trees: ast.AST) -> set[str]:
    return {node.id for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Name)}


def functions_in(*trees: ast.AST) -> list[str]:
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return list(dict.fromkeys(call.func.id for call in calls if isinstance(call.func, ast.Name)))


def value_reads(tree: ast.AST, watched: Collection[str]) -> list[ast.Name]:
    blind = {id(node) for node in _metadata_reads(tree)}
    return [node for node in names(tree) if node.id in watched and id(node) not in blind]


def _metadata_reads(tree: ast.AST) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in METADATA:
            yield _indexed(node.value)
        elif isinstance(node, ast.Call) and node.args and called(node) in METADATA_OF:
            yield _indexed(node.args[0])
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Is | ast.IsNot):
            yield node.left


def called(call: ast.Call) -> str:
    function = call.func
    return function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")


def _indexed(node: ast.expr) -> ast.expr:
    return node.value if isinstance(node, ast.Subscript) else node


def _parse(text: SourceString, function: str, report: Report) -> ast.expr | None:
    if (count := len(text.value)) > MAX_TITLE_CHARS:
        report(text.where(), f"expected an expression of at most {MAX_TITLE_CHARS:,} characters, found {count:,}")
        return None
    if fault := _bracket_fault(text.value):
        report(text.where(fault[0]), fault[1] + CUT * text.is_cut)
        return None
    body = re.sub(r"\s", " ", text.value)
    begin = len(function) + 1 if function else len(body.lstrip()) - len(body)
    source = f"{function}({body})" if function else body.strip()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # `1if x` is on its way to become an error
            tree = ast.parse(source, mode="eval").body
    except SyntaxError as error:
        offset = (error.offset or len(source) + 1) - 1  # 0 stands for the end
        message = error.msg if error.offset else "the expression ends too early"
        report(text.where(offset - begin), f"syntax error: {message}{CUT * text.is_cut}")
        return None
    except (RecursionError, MemoryError):  # how Python's parser says that its stack is full
        report(text.where(), TOO_DEEP)
        return None
    _move(tree, text, source, begin)
    if deep := too_deep(tree):
        report(location(text.file, deep), TOO_DEEP)
        return None
    return tree


def _bracket_fault(source: str) -> tuple[int, str] | None:
    open_: list[tuple[str, int]] = []
    for match in _BRACKET_OR_STRING.finditer(source):
        mark, offset = match[0], match.start()
        if mark == "#":
            return offset, "a comment cannot stand inside an expression"
        if mark in _CLOSING:
            open_.append((mark, offset))
        elif len(mark) == 1 and (not open_ or _CLOSING[open_.pop()[0]] != mark):
            return offset, f"bracket '{mark}' closes nothing"
    return (open_[-1][1], f"bracket '{open_[-1][0]}' is never closed") if open_ else None


def _move(tree: ast.expr, text: SourceString, source: str, begin: int) -> None:
    encoded = b"" if source.isascii() else source.encode()
    last = len(text.value)

    def position_of(column: int) -> LineColumn:
        offset = len(encoded[:column].decode()) if encoded else column
        line, col = text.positions[min(max(offset - begin, 0), last)]
        return line, col - 1

    for node in ast.walk(tree):
        if isinstance(node, (ast.expr, ast.keyword)):
            assert node.end_col_offset is not None
            node.lineno, node.col_offset = position_of(node.col_offset)
            node.end_lineno, node.end_col_offset = position_of(node.end_col_offset)
            vars(node)["file"] = text.file
