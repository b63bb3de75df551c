"""Specs that no generator should trip over: strange files, strange YAML, strange names, expressions without bound.

Each has a name and says whether it has to be refused; of the others either is right, and a package that is made of one
must be importable.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from specgrad.codegen.spec.fields import KEYS

ENTRY = {
    "name": "soft_bend(Tensor self, Tensor other, *, float slope=1.0) -> Tensor",
    "dtype": "float",
    "elementwise": "self * other * slope",
    "self": "grad * other.conj() * slope",
    "other": "grad * self.conj() * slope",
    "result": "auto_multilinear",
    "samples": ["self=T(3), other=T(3)"],
}


@dataclass(frozen=True)
class Hostile:
    name: str
    content: bytes
    refused: bool = True


def entry(**changes: object) -> bytes:
    """A right entry with some keys changed; those that become None are left out."""
    values = {key: value for key, value in (ENTRY | changes).items() if value is not None}
    return ("- " + "\n  ".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in values.items())).encode()


RIGHT = entry() + b"\n"
PLAIN = RIGHT.decode()


def corpus() -> list[Hostile]:
    """All of them, names apart."""
    found = [
        *files(),
        *documents(),
        *values(),
        *names(),
        *schemas(),
        *expressions(),
        *samples(),
        *sections(),
        *multi_count(),
    ]
    assert len({each.name for each in found}) == len(found)
    return found


def files() -> Iterator[Hostile]:
    """What is no text, or too much of it."""
    yield Hostile("empty", b"")
    yield Hostile("comments", b"# nothing\n\n# more of it\n")
    yield Hostile("only a byte order mark", b"\xef\xbb\xbf")
    yield Hostile("byte order mark", b"\xef\xbb\xbf" + RIGHT, refused=False)
    yield Hostile("byte order mark within", RIGHT + b"# \xef\xbb\xbf\n")
    yield Hostile("nul", RIGHT + b"# \x00\n")
    yield Hostile("nothing but nul", b"\x00" * 1000)
    yield Hostile("control characters", RIGHT + b"# \x1b[2J\x07\n")
    yield Hostile("other line ends", RIGHT + "# a\u2028b\x85c\n".encode())
    yield Hostile("text that runs backwards", RIGHT + "# a\u202eb\n".encode())
    yield Hostile("latin-1", RIGHT + b"# caf\xe9\n")
    yield Hostile("utf-16", PLAIN.encode("utf-16"))
    yield Hostile("utf-32", PLAIN.encode("utf-32"))
    yield Hostile("cut off within a letter", RIGHT + "# é".encode()[:-1])
    yield Hostile("surrogates in utf-8", RIGHT + b"# \xed\xa0\x80\n")
    yield Hostile("windows line ends", RIGHT.replace(b"\n", b"\r\n"), refused=False)
    yield Hostile("old line ends", RIGHT.replace(b"\n", b"\r"), refused=False)
    yield Hostile("tabs", PLAIN.replace("\n  ", "\n\t").encode())
    yield Hostile("python", b"import os\nos.system('true')\n")
    yield Hostile("a program", bytes(range(256)) * 40)
    yield Hostile("much of nothing", b"\n" * 3_000_000)
    yield Hostile("five megabytes", RIGHT + b"#" * 5_000_000)
    yield Hostile("fifty megabytes", b"- " * 25_000_000)


def documents() -> Iterator[Hostile]:
    """YAML that is no list of entries, or that would grow."""
    laughs = "\n".join(f"- &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 12))
    sources = {
        "two documents": f"{PLAIN}---\n{PLAIN}",
        "a second empty document": f"{PLAIN}---\n",
        "a number": "3\n",
        "a word": "entries\n",
        "a mapping": f"entries:\n{PLAIN}",
        "null": "null\n",
        "an empty list": "[]\n",
        "words": "- a\n- b\n",
        "lists": f"-\n  {PLAIN}",
        "empty entries": "-\n-\n",
        "empty mappings": "- {}\n- {}\n",
        "billion laughs": f"- &a0 [x, x]\n{laughs}\n{PLAIN}",
        "billion laughs in an entry": f"{PLAIN}  doc: &a [x]\n  example: [*a, *a, *a]\n",
        "an alias of itself": "- &a [*a]\n",
        "an alias of itself in an entry": "- &a\n  name: f(Tensor self) -> Tensor\n  doc: *a\n",
        "an alias of nothing": "- *a\n",
        "an alias of a word": f"- name: &n f(Tensor self) -> Tensor\n  doc: *n\n{PLAIN}",
        "merge": f"{PLAIN}- <<: {{dtype: float}}\n  name: g(Tensor self) -> Tensor\n",
        "python objects": "- !!python/object/apply:os.system ['true']\n",
        "python names": "- name: !!python/name:os.system x\n",
        "binary": "- name: !!binary aGVsbG8=\n",
        "sets": "- !!set {a, b}\n",
        "own tags": f"- !entry\n  {PLAIN[2:]}",
        "plain tags": f"{PLAIN}  doc: !!str x\n",
        "an unknown version": f"%YAML 9.9\n---\n{PLAIN}",
        "unknown directives": f"%X y\n---\n{PLAIN}",
        "a number as key": f"{PLAIN}  1: x\n",
        "null as key": f"{PLAIN}  null: x\n",
        "true as key": f"{PLAIN}  true: x\n",
        "nothing as key": f"{PLAIN}  '': x\n",
        "a list as key": f"{PLAIN}  ? [a, b]\n  : x\n",
        "a mapping as key": f"{PLAIN}  ? {{a: b}}\n  : x\n",
        "a key of many lines": f'{PLAIN}  "a\\nb\\tc": x\n',
        "a key twice": f"{PLAIN}  dtype: float\n",
        "the name twice": f"{PLAIN}  name: g(Tensor self) -> Tensor\n",
        "all keys twice": PLAIN + PLAIN.replace("- ", "  ", 1),
        "an entry twice": PLAIN + PLAIN,
        "an open quote": "- name: 'f\n",
        "an open bracket": "- [a, b\n",
        "an open brace": "- {a: b\n",
        "closing brackets": "]" * 50_000,
        "open brackets": "[" * 200_000,
        "open braces": "{" * 200_000,
        "pairs of brackets": "[" * 30_000 + "]" * 30_000,
        "mappings in each other": "{a: " * 30_000,
        "lists in each other": "- " * 100_000,
        "question marks": "? " * 100_000,
        "indentation": "\n".join(" " * i + "- a:" for i in range(1500)),
        "deep in an entry": f"{PLAIN}  doc: {'[' * 500}{']' * 500}\n",
        "nul in a value": f'{PLAIN}  doc: "a\\0b"\n',
        "escapes in a value": f'{PLAIN}  doc: "\\e[31m\\a\\b"\n',
        "surrogates in a value": f'{PLAIN}  doc: "\\ud83d"\n',
        "a long value": f"{PLAIN}  doc: {'x' * 1_000_000}\n",
        "a long key": f"{PLAIN}  {'k' * 5_000}: x\n",
        "a longer key": f"{PLAIN}  ? {'k' * 500_000}\n  : x\n",
        "a long comment": f"{PLAIN}# {'x' * 1_000_000}\n",
        "a long anchor": f"- &{'a' * 100_000} x\n",
        "colons": "- " + "a:" * 50_000,
        "dashes": "-" * 100_000,
        "stars": "*" * 100_000,
        "quotes": "'" * 100_001,
        "percent signs": "%" * 10_000,
    }
    right = ("a long comment",)
    yield from (Hostile(f"yaml, {name}", text.encode(), name not in right) for name, text in sources.items())


ODD: dict[str, object] = {
    "empty": "",
    "blank": "  ",
    "list": [],
    "map": {},
    "nested": [["x"]],
    "map of lists": {"self": ["x", {"y": []}]},
    "null": [None],
    "number": 10**30,
    "word": "class",
    "long": "x" * 5_000,
    "lines": "a\nb\n\n",
    "quotes": "\"\"\"'''\\",
    "template": "{{ 7 * 7 }}{% for x in y %}{# #}",
}


def values() -> Iterator[Hostile]:
    """Every key with every odd value."""
    for key in sorted(KEYS | {"self", "other", "result", "unknown"}):
        for what, value in ODD.items():
            yield Hostile(f"value, {key}, {what}", entry(**{key: value}), refused=key == "name")


def names() -> Iterator[Hostile]:
    """Names that mean something else, or nothing that could be a name."""
    nowhere = [
        "class",
        "def",
        "None",
        "True",
        "lambda",
        "async",
        "1abc",
        "a-b",
        "a b",
        "",
        "é",
        "µ",
        "ﬁ",
        "٣",
        "x" * 5_000,
    ]
    nowhere += ["_", "__", "__init__", "__class__", "__import__('os')", "a.b.c", "*", "'x'", "\U0001d4d0"]
    own = ["isinstance", "checks", "watch", "run", "nodes", "kernels", "intercept", "Tensor", "int"]
    ops = [
        "add",
        "data",
        "backward",
        "grad",
        "shape",
        "sum",
        "mul_",
        "multiply",
        "detach",
        "numpy",
        "T",
        "ops",
        "registry",
    ]
    ops += ["max_dim", "adjoint", "globals", "len", "item", "requires_grad_", "package", "tuple", "softmax"]
    arguments = ["name", "into", "i", "T", "node", "grad", "grads", "result", "input", "out", "axis", "slope"]
    arguments += ["self_p", "_x", "range", "domain", "samples"]
    for name in nowhere + own + ops:
        yield Hostile(
            f"op {name[:40]!r}", entry(name=f"{name}(Tensor self, Tensor other, *, float slope=1.0) -> Tensor")
        )
        also = entry(aliases=[name])
        yield Hostile(f"alias {name[:40]!r}", also, refused=name not in ("package",))
    for name in nowhere + own + arguments:
        renamed = {key: str(value).replace("other", name) for key, value in ENTRY.items() if isinstance(value, str)}
        renamed = {key if key != "other" else name: value for key, value in renamed.items()}
        renamed["name"] = f"soft_bend(Tensor self, Tensor {name}, *, float slope=1.0) -> Tensor"
        retained = {"other": None, "samples": None}
        # `axis` is another word for `dim`, of which this entry has none.
        yield Hostile(f"argument {name[:40]!r}", entry(**retained | renamed), refused=name not in ("range", "axis"))
        number = ENTRY["name"] if name == "slope" else str(ENTRY["name"])[:-11] + f", int {name}=1) -> Tensor"
        yield Hostile(f"number {name[:40]!r}", entry(name=number), refused=False)
    for name in nowhere + own:
        two = f"soft_bend(Tensor self, int dim) -> (Tensor {name}, Tensor indices)"
        pair = {
            "elementwise": None,
            "other": None,
            "result": None,
            "kernel": "max_dim",
            "result_dtype": ["same", "int64"],
        }
        pair |= {
            "self": "value_selecting_reduction_backward(grad, dim, indices, self.shape, False)",
            name: "auto_select",
        }
        yield Hostile(
            f"output {name[:40]!r}", entry(**pair | {"name": two, "samples": ["self=T(3), dim=0"]}), refused=name != ""
        )
        yield Hostile(
            f"overload {name[:40]!r}",
            entry(name=f"soft_bend.{name}(Tensor self, Tensor other) -> Tensor"),
            refused=False,
        )


def schemas() -> Iterator[Hostile]:
    """What the schema's grammar has no place for."""
    right = str(ENTRY["name"])
    sources = {
        "huge default": right.replace("1.0", "1" + "0" * 5_000),
        "infinite default": right.replace("1.0", "1e" + "9" * 100),
        "default in other digits": right.replace("1.0", "١.٠"),
        "huge size": right.replace("float slope=1.0", f"int[{'9' * 5_000}] slope=1"),
        "size in other digits": right.replace("float slope=1.0", "int[٣] slope=1"),
        "size of nothing": right.replace("float slope=1.0", "int[0] slope=1"),
        "escaped default": right.replace("float slope=1.0", "str slope='\\'"),
        "default of two lines": right.replace("float slope=1.0", "str slope='a\nb'"),
        "open default": right.replace("float slope=1.0", "str slope='a"),
        "code as default": right.replace("1.0", "exit()"),
        "name as default": right.replace("1.0", "self"),
        "list as default": right.replace("1.0", "[" * 2_000),
        "no arguments": "soft_bend() -> Tensor",
        "no tensor": "soft_bend(int self, int other, *, float slope=1.0) -> Tensor",
        "no outputs": right.replace("-> Tensor", "-> ()"),
        "no result": right.removesuffix("-> Tensor"),
        "a number as result": right.replace("-> Tensor", "-> int"),
        "brackets": "(" * 5_000,
        "question marks": right.replace("float slope", "float" + "?" * 5_000 + " slope"),
        "stars": right.replace("*,", "*, *,"),
        "a thousand arguments": f"soft_bend({', '.join(f'Tensor a{i}' for i in range(800))}) -> Tensor",
        "a thousand outputs": right.replace("-> Tensor", f"-> ({', '.join(['Tensor'] * 900)})"),
        "the same output twice": right.replace("-> Tensor", "-> (Tensor a, Tensor a)"),
        "more than one": f"{right} {right}",
        "writes to itself": right.replace("Tensor self", "Tensor(a!!) self"),
        "a long alias": right.replace("Tensor self", f"Tensor({'a' * 5_000}!) self"),
    }
    yield from (Hostile(f"schema, {name}", entry(name=text)) for name, text in sources.items())


def expressions() -> Iterator[Hostile]:
    """Expressions without bound, and Python that is none of the spec's."""
    sources = {
        "unary minuses": "-" * 30_000 + "self",
        "fewer unary minuses": "-" * 3_000 + "self",
        "nots": "not " * 900 + "self",
        "brackets": "(" * 10_000 + "self" + ")" * 10_000,
        "fewer brackets": "(" * 1_000 + "self" + ")" * 1_000,
        "square brackets": "[" * 1_500 + "self" + "]" * 1_500,
        "attributes": "self" + ".real" * 700,
        "methods": "self" + ".conj()" * 500,
        "subscripts": "self" + "[0]" * 1_000,
        "a long sum": " + ".join(["self"] * 100_000),
        "a sum": " + ".join(["self"] * 400),
        "powers": " ** ".join(["self"] * 400),
        "comparisons": " < ".join(["self"] * 500) + ".",
        "conditions": "self if other else " * 180 + "self.",
        "lambdas": "lambda: " * 400 + "self",
        "a huge number": "self * 1" + "0" * 3_900,
        "a huger number": "self * 1" + "0" * 5_000,
        "a number of many bits": f"self * {2**70}",
        "a power of numbers": "self * 10 ** 10 ** 10",
        "a power of a power": "self * (9 ** 64) ** 64",
        "a power of hidden numbers": "self * (2 * 3) ** 4",
        "a large exponent": "self * 2 ** 1000000",
        "a repeated list": "self * len([0] * 10000000000)",
        "a repeated string": "self * ('a' * 10000000000)",
        "import": "__import__('os').system('true') * self",
        "classes": "self.__class__.__bases__[0] * other",
        "globals": "globals() * self",
        "eval": "eval('1') * self",
        "open": "open('x') * self",
        "lambda": "(lambda: self)()",
        "walrus": "(x := self) * x",
        "comprehension": "sum([x for x in self])",
        "f-string": "f'{self}'",
        "bytes": "b'x' * self",
        "starred": "exp(*self)",
        "keywords": "exp(**self)",
        "await": "await self",
        "yield": "(yield self)",
        "statements": "self; import os",
        "an assignment": "self = other",
        "an open string": "self * 'x",
        "an open bracket": "self * (other",
        "a comment": "self # * other",
        "a backslash": "self \\\n* other",
        "an escape": "self * '\\x'",
        "nothing": "",
        "a line": "\n",
        "dots": "...",
        "unknown letters": "self × other",
        "letters that look alike": "ｓｅｌｆ * оther",
        "many unknown names": "exp(" + ", ".join(f"n{i}" for i in range(600)) + ")",
        "many calls": " ".join(["exp("] * 700),
        "a long name": "x" * 3_900,
        "a longer name": "x" * 9_000,
    }
    for slot in ("elementwise", "composite", "self", "result", "backward", "gradients", "tangents"):
        computed = {"elementwise": None, "self": None, "other": None, "result": None} if slot == "composite" else {}
        for name, text in sources.items():
            yield Hostile(f"{slot}, {name}", entry(**computed | {slot: text}))


def samples() -> Iterator[Hostile]:
    """Calls that could not be made, or not in this life."""
    sources = {
        "a large tensor": "self=T(1000000, 1000000), other=T(3)",
        "a large mask": "self=B(99999999), other=T(3)",
        "a large computed tensor": "self=T(10 * 100000000), other=T(3)",
        "a negative size": "self=T(-1), other=T(3)",
        "a size that is no integer": "self=T(1.5), other=T(3)",
        "a size that is no number": "self=T('x'), other=T(3)",
        "many dimensions": f"self=T({', '.join('1' * 100)}), other=T(3)",
        "a huge power": "self=T(3), other=T(3), slope=10 ** 10 ** 10",
        "a repeated list": "self=V([1] * 10000000000), other=T(3)",
        "a division by zero": "self=T(3), other=T(3), slope=1 / 0",
        "rows of other lengths": "self=V([[1], [1, 2]]), other=T(3)",
        "words": "self=V(['a']), other=T(3)",
        "depth": f"self=V({'[' * 100}1{']' * 100}), other=T(3)",
        "unknown keywords": "self=T(3, size=3), other=T(3)",
        "an interval of nothing": "self=T(3, lo=inf), other=T(3)",
        "no call": ") + _(",
        "unary minuses": "self=" + "-" * 3_000 + "1",
        "the argument twice": "self=T(3), self=T(3), other=T(3)",
    }
    for name, text in sources.items():
        yield Hostile(f"samples, {name}", entry(samples=[text]))
        yield Hostile(f"edge cases, {name}", entry(edge_cases=[text]))
    for what in (
        "[.nan, 1]",
        "[-.inf, .inf]",
        "[-inf, inf]",
        "[-1e308, 1e308]",
        "[1, 0]",
        "[1]",
        "[a, b]",
        "{self: 3}",
        "{x: [0, 1]}",
    ):
        yield Hostile(f"domain {what}", RIGHT + f"  domain: {what}\n".encode())


def sections() -> Iterator[Hostile]:
    """Titles, words and defaults of sections."""
    below = "\n" + PLAIN
    sources = {
        "no title": "- defaults: {dtype: float}",
        "an empty title": '- section: ""',
        "a long title": f"- section: {'x' * 5_000}",
        "a list for a title": "- section: [a]",
        "a title twice": "- section: a\n  section: b",
        "words of an entry": "- section: a\n  dtype: float",
        "a mapping for words": "- section: a\n  about: {b: c}",
        "a list of defaults": "- section: a\n  defaults: [dtype]",
        "defaults without values": "- section: a\n  defaults: {dtype, dtypes}",
        "a deep default": "- section: a\n  defaults: {self: [[[[[[a]]]]]]}",
        "a list for a formula": "- section: a\n  defaults: {input: [grad]}",
        "a list for a key": "- section: a\n  defaults: {[a]: b}",
        "a name by default": "- section: a\n  defaults: {name: f(Tensor self) -> Tensor}",
        "a computation by default": "- section: a\n  defaults: {elementwise: self + 1}",
        "a section by default": "- section: a\n  defaults: {section: b}",
        "an unknown default": "- section: a\n  defaults: {colour: red}",
        "an unknown word": "- section: a\n  defaults: {dtypes: [red]}",
        "a torn formula": "- section: a\n  defaults: {self: grad *}",
        "an interval upside down": "- section: a\n  defaults: {domain: [2, 1]}",
        "a sample of another op": '- section: a\n  defaults: {edge_cases: ["x=T(3)"]}',
        "many unknown defaults": "- section: a\n  defaults:" + "".join(f"\n    key{i}: x" for i in range(20_000)),
    }
    yield from (Hostile(f"section, {name}", f"{text}{below}".encode()) for name, text in sources.items())
    right = {
        "a title that leads away": "- section: ../../etc/passwd\n  about: '](x) | <script> {{ 1 }} {% if %}'",
        "a title of code": '- section: "\\"\\"\\" + 1"',
        "no entries": "- section: a\n- section: b\n  defaults: {self: unknown}\n- section: c",
        "defaults that all entries override": '- section: a\n  defaults: {result: zero, samples: ["self=T(2)"]}',
    }
    yield from (Hostile(f"section, {name}", f"{text}{below}".encode(), refused=False) for name, text in right.items())
    yield Hostile("nothing but sections", b"- section: a\n" * 20_000)
    keys = ", ".join(f"key{i}: x" for i in range(15_000))
    rows = "".join(f"- name: f{i}(Tensor self) -> Tensor\n  composite: self\n" for i in range(10_000))
    yield Hostile("many defaults for many entries", f"- section: a\n  defaults: {{{keys}}}\n{rows}".encode())


def multi_count() -> Iterator[Hostile]:
    """Specs of which each part is small."""
    one = "- name: f{i}(Tensor self) -> Tensor\n  {rest}\n"
    last = "  samples: [self=T(3)]\n"
    chain = "".join(one.format(i=i, rest=f"composite: f{i - 1}(self) * f{i - 1}(self)") + last for i in range(1, 300))
    root = "- name: f0(Tensor self) -> Tensor\n  composite: self * self\n" + last
    use = "- name: g(Tensor self) -> Tensor\n  elementwise: exp(self)\n  self: grad * f{}(result)\n"
    use += "  result: auto_element_wise\n"
    nested = "f1(" * 30 + "result" + ")" * 30
    yield Hostile("a doubling chain", (root + chain + use.format(299)).encode(), refused=False)
    yield Hostile("a doubling call", (root + chain + use.replace("f{}(result)", nested)).encode(), refused=False)
    yield Hostile(
        "calls itself", entry(elementwise=None, self=None, other=None, result=None, composite="soft_bend(self, other)")
    )
    pair = [one.format(i=i, rest=f"composite: f{1 - i}(self)") + last for i in (0, 1)]
    yield Hostile("call each other", "".join(pair).encode())
    wide = ", ".join(f"Tensor a{i}" for i in range(20))
    rows = "".join(f"  a{i}: grad * {'*'.join(f'a{j}' for j in range(20) if j != i)}\n" for i in range(20))
    product = f"  elementwise: {'*'.join(f'a{i}' for i in range(20))}\n  result: auto_multilinear\n"
    yield Hostile("a million masks", f"- name: wide({wide}) -> Tensor\n{product}{rows}".encode(), refused=False)
    yield Hostile("many unknown keys", RIGHT + b"".join(b"  key%d: x\n" % i for i in range(20_000)))
    yield Hostile("many unknown words", entry(dtypes=[f"word{i}" for i in range(20_000)]))
    yield Hostile("many entries without a name", b"- {a: b}\n" * 30_000)
    yield Hostile("many unknown types", b"".join(b"- name: f%d(Tensr x) -> Tensor\n" % i for i in range(20_000)))
    yield Hostile("many entries twice", RIGHT * 2_000)
    yield Hostile("many words", b"- x\n" * 100_000)
    yield Hostile("many values", b"[" + b"a," * 1_000_000 + b"]")
    yield Hostile("letters of both cases", RIGHT + RIGHT.replace(b"soft_bend", b"Soft_Bend"))
    yield Hostile("an op and the general path of another", RIGHT + RIGHT.replace(b"soft_bend", b"_soft_bend"))
    yield Hostile("an op and the overload of another", RIGHT + RIGHT.replace(b"soft_bend", b"soft_bend.x")
                  + RIGHT.replace(b"soft_bend", b"soft_bend_default"))  # fmt: skip
    yield Hostile("an op and the in-place function of another", entry(variants=["function", "inplace"]) + b"\n"
                  + RIGHT.replace(b"soft_bend", b"soft_bend_"))  # fmt: skip
    shadow = "soft_bend(Tensor self, Tensor other, Tensor self_t, *, float slope=1.0) -> Tensor"
    yield Hostile("an argument that is another's tangent", entry(name=shadow, self_t="grad * self", samples=None))
    yield Hostile("two aliases alike", entry(aliases=["bent", "bent"]), refused=False)
    yield Hostile(
        "one alias of two", entry(aliases=["bent"]) + b"\n" + entry(aliases=["bent"]).replace(b"soft_bend", b"bend")
    )
    yield Hostile("nothing public", entry(variants=["formula"]), refused=False)
    yield Hostile("right", RIGHT, refused=False)
