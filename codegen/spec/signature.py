"""A parser of PyTorch's schema grammar: `sum.dim(Tensor self, int[] dim, bool keepdim=False) -> Tensor`."""

import keyword
import math
import re
from dataclasses import replace

from ..language.syntax import LARGEST, one_of
from .model import Argument, Return, Schema, Type
from .types import NUMBER, STRING, TYPES

TOKEN = re.compile(rf"\s*(->|[A-Za-z_]\w*|{NUMBER}|{STRING}|[^\s])", re.ASCII)
NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
LONGEST_NAME = 64
LONGEST_NUMBER = 30


class SchemaError(ValueError):
    """A schema that does not follow the grammar; `offset` is where in its text."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.message, self.offset = message, offset


def parse_schema(text: str) -> Schema:
    return _Parser(text).schema()


class _Parser:
    """Recursive descent over the tokens of one schema; each method reads one rule of the grammar."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = [*((m[1], m.start(1)) for m in TOKEN.finditer(text.rstrip())), ("", len(text))]
        self.position = 0

    @property
    def token(self) -> str:
        return self.tokens[self.position][0]

    @property
    def offset(self) -> int:
        return self.tokens[self.position][1]

    def fail(self, message: str, offset: int | None = None) -> SchemaError:
        return SchemaError(message, self.offset if offset is None else offset)

    def take(self) -> str:
        self.position += 1
        return self.tokens[self.position - 1][0]

    def accept(self, token: str) -> bool:
        result = self.token == token
        self.position += result
        return result

    def expect(self, token: str) -> None:
        if not self.accept(token):
            raise self.fail(f"expected '{token}', found {self.current_token()}")

    def current_token(self) -> str:
        return f"'{self.token}'" if self.token else "the end of the schema"

    def identifier(self, what: str) -> str:
        fault = name_fault(self.token)
        if fault == NO_NAME:
            raise self.fail(f"expected {what}, found {self.current_token()}")
        if fault:
            raise self.fail(f"{fault}: it cannot be {what}")
        return self.take()

    def schema(self) -> Schema:
        name = self.identifier("the name of the op")
        overload = self.identifier("the name of the overload") if self.accept(".") else ""
        self.expect("(")
        arguments = self.arguments()
        self.expect("->")
        returns = self.returns()
        if self.token:
            raise self.fail(f"expected the end of the schema, found {self.current_token()}")
        return Schema(name, overload, arguments, returns, self.text)

    def arguments(self) -> tuple[Argument, ...]:
        arguments: list[Argument] = []
        keyword_only = False
        while not self.accept(")"):
            if arguments or keyword_only:
                self.expect(",")
            if not keyword_only and self.accept("*"):
                keyword_only = True
            else:
                arguments.append(self.argument(arguments, keyword_only))
        return tuple(arguments)

    def argument(self, before: list[Argument], keyword_only: bool) -> Argument:
        type_, offset = self.type(), self.offset
        name = self.identifier("the name of an argument")
        if any(name == other.name for other in before):
            raise self.fail(f"argument '{name}' is named twice", offset)
        default = self.default(type_) if self.accept("=") else None
        if default is None and not keyword_only and any(a.default is not None for a in before):
            raise self.fail(f"argument '{name}' has no default but follows one that has", offset)
        return Argument(name, type_, default, keyword_only)

    def type(self) -> Type:
        """`Tensor(a!)`, `int[2]?`, `Tensor?[]`: base, alias, question mark, list, question mark."""
        offset, base = self.offset, self.identifier("a type")
        if base not in TYPES:
            raise self.fail(f"unknown type '{base}'{one_of(base, TYPES)}", offset)
        type_ = Type(base)
        if self.accept("("):
            type_ = replace(type_, alias=self.identifier("the letter of an alias"), writes=self.accept("!"))
            self.expect(")")
        optional = self.accept("?")
        if not self.accept("["):
            return replace(type_, optional=optional)
        size = int(self.take()) if re.fullmatch(r"[1-9]\d{0,3}", self.token, re.ASCII) else None
        self.expect("]")
        return replace(type_, is_list=True, size=size, optional_items=optional, optional=self.accept("?"))

    def default(self, type_: Type) -> str:
        offset = self.offset
        source = self.list_literal() if self.token == "[" else self.take()
        if not _fits(source, type_):
            raise self.fail(f"'{source}' is no default of type {spell(type_)}", offset)
        return source

    def list_literal(self) -> str:
        self.expect("[")
        items: list[str] = []
        while not self.accept("]"):
            if items:
                self.expect(",")
            if not self.token:
                raise self.fail("expected ']', found the end of the schema")
            items.append(self.take())
        return f"[{', '.join(items)}]"

    def returns(self) -> tuple[Return, ...]:
        if not self.accept("("):
            return (Return("result", self.type()),)
        matches: list[tuple[Type, str]] = []
        while not self.accept(")"):
            if matches:
                self.expect(",")
            matches.append((self.type(), self.return_name([name for _, name in matches])))
        names = ["result"] if len(matches) == 1 else [f"result{i}" for i in range(len(matches))]
        return tuple(Return(name or names[i], type_) for i, (type_, name) in enumerate(matches))

    def return_name(self, before: list[str]) -> str:
        if self.token in before and self.token:
            raise self.fail(f"output '{self.token}' is named twice")
        return "" if self.token in (",", ")", "") else self.identifier("the name of an output")


NO_NAME = "a name is of ASCII letters, digits and underscores"


def name_fault(name: str) -> str:
    if not NAME.fullmatch(name):
        return NO_NAME
    if len(name) > LONGEST_NAME:
        return f"a name has at most {LONGEST_NAME} letters, this one {len(name):,}"
    if keyword.iskeyword(name):
        return f"'{name}' is a keyword of Python"
    if name.startswith("__") or not name.strip("_"):
        return f"'{name}' is reserved by Python"
    return ""


def spell(type_: Type) -> str:
    if not type_.is_list:
        return type_.base + "?" * type_.optional
    return f"{type_.base}{'?' * type_.optional_items}[{type_.size or ''}]{'?' * type_.optional}"


def _fits(source: str, type_: Type) -> bool:
    """Whether `source` is a default of the type; one item stands for a whole list of fixed size."""
    if source == "None":
        return type_.optional
    pattern = TYPES[type_.base].default
    if type_.is_list and source.startswith("["):
        items = source[1:-1].split(", ") if source != "[]" else []
        return all(_is_literal(pattern, item) for item in items)
    return (not type_.is_list or type_.size is not None) and _is_literal(pattern, source)


def _is_literal(pattern: str, source: str) -> bool:
    quoted = source[:1] in ("'", '"')
    if not re.fullmatch(pattern, source, re.ASCII) or (len(source) > LONGEST_NUMBER and not quoted):
        return False
    if re.fullmatch(r"-?\d+", source):  # that an int64 holds
        return abs(int(source)) <= LARGEST
    return quoted or source in ("True", "False") or math.isfinite(float(source))
