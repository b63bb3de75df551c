"""Reads one entry of the spec: from a YAML mapping to an `Entry`, noting everything of the wrong form."""

import ast
import re
from collections.abc import Iterable
from typing import Any

import yaml

from ..language.indexed_programs import IndexedProgram
from ..language.row_programs import Program
from ..language.syntax import REFERENCE_SYNTAX, SCALAR_SYNTAX, TENSOR_SYNTAX, Syntax, did_you_mean, faults
from . import formula
from .autocast import read_autocast
from .beside import Beside
from .definitions import Written, name_fault, of_primals, trees_of, with_meaning, with_numbers
from .fields import CHOICES, COMMON, COMPUTE, KEYS, NONE, WITHOUT_GRADIENT
from .indexed_program import read_indexed
from .model import Compute, Entry, Formula, Schema, Where, identifier, identifier_of, undefined
from .reference import RESULT, read_function
from .row_program import check_of_rows, read_program
from .sections import Defaults
from .signature import SchemaError, parse_schema
from .source import Source
from .test_material import TrialFields

# Keys whose values are fields of an entry as they are written: true or false, a name, one of several, a list of names.
Formulas = dict[str, Formula]
TRUE_OR_FALSE = {
    **{word: word for word in ("commutative", "replaces", "precise", "converts", "takes_out", "once_differentiable")},
    "stored": "accepts_f16",
}
PLAIN = {"sparse": "sparse", "conj_rule": "conj", "at_once": "eager", "shape": "meta", "if_written": "if_written"}
CHOSEN = {"operator": "operator", "namespace": "namespace", "lazy": "lazy"}
LISTED = {"tries": "try", "ignores": "ignores", "memory_format_of": "memory_format_of", "hooked": "hook_order"}


class EntryReader(TrialFields):
    """Reads one mapping; `op` and `problems` hold what is known when `read` gives no entry."""

    def __init__(
        self, node: yaml.MappingNode, source: Source, defaults: Defaults, beside: Beside | None = None
    ) -> None:
        super().__init__(node, source)
        beside = beside or Beside()
        self.node = node
        self.beside = beside.pairs.get(self.op, [])
        for pair in self.beside:
            for key, value in self._ungrouped(*pair):
                self._add(key, value)
        self.function = beside.references.get(identifier_of(self.op))
        self.defaults = defaults
        self.inherited: list[str] = []
        self.definitions: Formulas = {}
        self.rows: Program | None = None
        self.indexed: IndexedProgram | None = None

    def read(self) -> Entry | None:
        schema = self._schema()
        if schema is None:
            return None
        self._begin(schema)
        dtypes = self.choices("dtypes") or CHOICES["dtypes"]
        result_dtype = self._per_output("result_dtype", schema) or ("same",) * len(schema.returns)
        differentiability, gradients = self._derivatives(schema, result_dtype)
        aliases = self.items("aliases")
        entry = Entry(
            schema=schema,
            where=self.where("name"),
            compute=self._compute(schema),
            rows=self.rows,
            other_dtypes=self._expression("other_dtypes", TENSOR_SYNTAX),
            indexed=self.indexed,
            reference=self._reference(schema),
            onnx=self._parts("onnx", schema),
            variants=self.choices("variants") or ("function", "method"),
            aliases=tuple(text.value for text in aliases),
            alias_locations=tuple(text.where() for text in aliases),
            dtype=self.choice("dtype") or "promote",
            result_dtype=result_dtype,
            dtypes=dtypes,
            identity=self.choices("identity"),
            check=self._name("check") or (check_of_rows(schema) if self.rows or self.indexed else None),
            autocast=self._autocast(),
            deprecated=tuple(tuple(text.value.split()) for text in self.items("deprecated")),
            batch=self._name("batch") or self._batch_rule(),
            derivative_of=self._expression("slope_of", SCALAR_SYNTAX),
            definitions=self.definitions,
            backward=self._backward(),
            gradients=gradients,
            forward=self._forward(schema, differentiability, gradients),
            output_differentiability=differentiability,
            domain=self._domain(schema),
            samples=self._samples("samples", self.items("samples")),
            hard=self._samples("edge_cases", self.items("edge_cases")),
            refuses=self._refuses(),
            unvaried=self._unvaried(schema),
            unverified=self._unverified(),
            inexact=self._inexact(),
            kink=self.choices("kink") or ("average",),
            gives=self._gives(schema),
            complex=self._says("complex", "complex" in dtypes),
            doc=self.plain("doc") or "",
            example=self._example(),
            key_locations=self._locations(),
            section=self.defaults.section,
            inherited=tuple(self.inherited),
            **self._as_written(),
        )
        return with_numbers(entry)

    def _batch_rule(self) -> str | None:
        if self.indexed is not None:
            return "generalized"
        if self.rows is None or self.rows.of_kind("shared") or self.rows.totals:
            return None
        return "rows"

    def _as_written(self) -> dict[str, Any]:
        listed = {field: tuple(text.value for text in self.items(key)) for field, key in LISTED.items()}
        flags = {field: self._says(key) for field, key in TRUE_OR_FALSE.items()}
        plain = {field: self._name(key) for field, key in PLAIN.items()}
        return listed | flags | plain | {field: self.choice(key) for field, key in CHOSEN.items()}

    def _autocast(self) -> dict[str, str]:
        listed = self.defaults.casts.get(self.op)
        if listed is None:
            return read_autocast(self.values.get("autocast"), self.source, self.about("autocast"))
        if "autocast" in self.values:
            self.report(self.keys["autocast"], f"a list of the section has the op, too, at {listed.where}", "autocast")
        return listed.choices_of

    def _name(self, key: str) -> str | None:
        name = self.plain(key)
        return None if name == NONE else name

    def _begin(self, schema: Schema) -> None:
        self.op = schema.full_name
        self._refuse_unknown_keys(schema)
        senseless = self._senseless()
        self._inherit([key for key in COMMON if key not in senseless])
        node = self.values.get("where")
        results: Formulas = {}
        for name, each in (self._named("where", node, schema, TENSOR_SYNTAX) if node is not None else {}).items():
            results[name] = self._meant(each, name, trees_of(results))
        self.definitions = results

    def _says(self, key: str, default: bool = False) -> bool:
        return (self.choice(key) or str(default)).lower() == "true"

    def _locations(self) -> dict[str, Where]:
        locations = {key: self.where(key) for key in self.values}
        if self.function is not None:
            locations.setdefault("reference", self.function.where())
        if self.op in self.defaults.casts:
            locations.setdefault("autocast", self.defaults.casts[self.op].where)
        if not locations.keys() & set(COMPUTE):
            locations["kernel"] = self.where("name")
        if self.rows or self.indexed:
            own = locations["rows" if self.rows else "indexed"]
            locations = dict.fromkeys(("kernel", "check", "batch"), own) | locations
        return locations

    def _inherit(self, keys: Iterable[str]) -> None:
        for key in keys:
            if key in self.defaults.nodes and key not in self.values:
                self.keys[key], self.values[key] = self.defaults.nodes[key]
                self.inherited.append(key)

    def _senseless(self) -> frozenset[str]:
        is_checked = "check" in self.values or "check" in self.defaults.nodes
        unchecked: frozenset[str] = frozenset() if is_checked else frozenset({"errors"})
        if "composite" in self.values:
            return unchecked | {"dtype", "batch", "meta", "dtype_table", "precise"}
        if "view" in self.values:
            return unchecked | {"batch", "meta", "dtype_table", "precise"}
        return unchecked | {"batch", "meta"} if "elementwise" in self.values else unchecked | {"precise"}

    def _schema(self) -> Schema | None:
        if "name" not in self.values:
            self.report(self.start, "an entry needs the key 'name' with the op's schema")
            return None
        text = self.text("name")
        try:
            return parse_schema(text.value) if text else None
        except SchemaError as error:
            assert text is not None
            self.report(text.where(error.offset), f"bad schema: {error.message}")
            return None

    def _refuse_unknown_keys(self, schema: Schema) -> None:
        arguments = [a.name for a in schema.arguments]
        outputs = [r.name for r in schema.returns]
        for key in self.keys.keys() - KEYS - set(arguments) - set(outputs):
            node = self.values[key]
            value = node.value if isinstance(node, yaml.ScalarNode) else ""
            if re.search(r"\b(grads?|non_differentiable|not_implemented)\b", value):
                message = f"'{key}' is no argument to give a gradient of{did_you_mean(key, arguments)}"
            elif re.search(r"\b(auto_\w+|zero|\w+_[pt])\b", value):
                message = f"'{key}' is no output to give a forward formula of{did_you_mean(key, outputs)}"
            else:
                message = f"unknown key '{key}'{did_you_mean(key, [*KEYS, *arguments, *outputs])}"
            self.report(self.keys[key], message)

    def _per_output(self, key: str, schema: Schema) -> tuple[str, ...]:
        choices_of, outputs = self.choices(key), len(schema.returns)
        match self.values.get(key):
            case yaml.ScalarNode():
                return choices_of * outputs
            case yaml.SequenceNode(value=value) if len(value) != outputs:
                self.report(self.where(key), f"{len(value)} values for {outputs} outputs", key)
        return choices_of if len(choices_of) == outputs else ()

    def _derivatives(self, schema: Schema, dtypes: tuple[str, ...]) -> tuple[tuple[bool, ...], Formulas]:
        # Unless stated, tensors neither of bools nor of integers are differentiable, if an argument's gradient is.
        stated = self._per_output("output_differentiability", schema)
        outputs = zip(schema.returns, dtypes, strict=True)
        derived = tuple(output.type.is_tensor and dtype not in WITHOUT_GRADIENT for output, dtype in outputs)
        differentiability = tuple(word.lower() == "true" for word in stated) or derived
        gradients = self._gradients(schema, any(differentiability))
        if undefined(gradients) and "output_differentiability" not in self.values:
            differentiability = (False,) * len(schema.returns)
        return differentiability, gradients

    def _compute(self, schema: Schema) -> Compute:
        args = [key for key in COMPUTE if key in self.values]
        strange = self.keys.keys() - KEYS - {a.name for a in schema.arguments} - {r.name for r in schema.returns}
        if not args and not any(did_you_mean(key, COMPUTE) for key in strange):
            return Compute("kernel", identifier(schema), None, self.where("name"))
        for key in args[1:]:
            self.report(self.keys[key], f"'{args[0]}' and '{key}' exclude each other")
        text = self.text(args[0]) if args else None
        if text is None:
            return Compute("missing", "", None, self.where("name"))
        if args[0] in ("rows", "indexed"):
            if args[0] == "rows":
                self.rows = read_program(text, schema, self.about("rows"), "check" in self.values)
            else:
                constants = [key for key in self.values if self.name_list(key) == ["non_differentiable"]]
                self.indexed = read_indexed(text, schema, constants, self.about("indexed"))
            kind, name = ("kernel", identifier(schema)) if self.rows or self.indexed else ("missing", "")
            return Compute(kind, name, None, text.where())
        syntax = {"elementwise": SCALAR_SYNTAX, "composite": TENSOR_SYNTAX}.get(args[0])
        tree = formula.parse_expression(text, syntax, self.about(args[0])) if syntax else None
        return self._meant(Compute(args[0], text.value, tree, text.where()), args[0], self._meanings())

    def _named(self, key: str, node: yaml.Node, schema: Schema, syntax: Syntax, last: str | None = None) -> Formulas:
        if not isinstance(node, yaml.MappingNode) or not node.value:
            self.report(node, "expected names with expressions, one a line", key)
            return {}
        results: Formulas = {}
        for location, (own, value) in enumerate(node.value, 1):
            name = own.value if isinstance(own, yaml.ScalarNode) else ""
            ends = name == last and location == len(node.value)
            if not ends and (fault := name_fault(name, schema, results)):
                self.report(own, fault, key)
            elif not isinstance(value, yaml.ScalarNode):
                self.report(value, "an expression is wanted here, not a list or a mapping", name)
            else:
                text = self.source.text(value)
                tree = formula.parse_expression(text, syntax, self.about(name))
                results[name] = Formula(text.value, tree, text.where())
        return results

    def _meanings(self, primal_of: Schema | None = None) -> dict[str, ast.expr]:
        trees = trees_of(self.definitions)
        return of_primals(trees, [a.name for a in primal_of.arguments if a.type.is_tensor]) if primal_of else trees

    def _meant(self, written: Written, key: str, definitions: dict[str, ast.expr]) -> Written:
        result, fault = with_meaning(written, definitions)
        if fault:
            self.report(written.where, fault, key)
        elif result.written is not None and result.tree is not None and key in ("elementwise", "slope_of"):
            for node, message in faults(result.tree, result.tree, SCALAR_SYNTAX):
                self.report(formula.location(self.source.file, node), message, key)
        return result

    def _formulas(self, names: list[str], keywords: tuple[str, ...], definitions: dict[str, ast.expr]) -> Formulas:
        keys = [name for name in names if name in self.values and name not in KEYS]
        values_by_key = {key: text for key in keys if (text := self.text(key))}
        parsed = {key: formula.parse_formula(text, keywords, self.about(key)) for key, text in values_by_key.items()}
        return {key: self._meant(each, key, definitions) for key, each in parsed.items()}

    def _gradients(self, schema: Schema, differentiable: bool) -> Formulas:
        """That of the key `gradients` stands for each tensor that has none of its own; the section's, for its name."""
        tensors = [a.name for a in schema.arguments if a.type.is_tensor]
        if differentiable and not {"composite", "gradients"} & self.values.keys():
            self._inherit(tensors)
        own = self._formulas([a.name for a in schema.arguments], formula.REVERSE_KEYWORDS, self._meanings())
        return own | self._items("gradients", [name for name in tensors if name not in own], self._meanings())

    def _forward(self, schema: Schema, differentiability: tuple[bool, ...], gradients: Formulas) -> Formulas:
        """That of the key `tangents` stands for each differentiable output without its own; the section's, for its name
        where it depends differentiably on an argument."""
        pairs = zip(schema.returns, differentiability, strict=True)
        outputs = [output.name for output, differentiable in pairs if differentiable]
        if "tangents" not in self.values and any(each.tree is not None for each in gradients.values()):
            self._inherit(outputs)
        definitions = self._meanings(schema)
        own = self._formulas([r.name for r in schema.returns], formula.FORWARD_KEYWORDS, definitions)
        return own | self._items("tangents", [name for name in outputs if name not in own], definitions)

    def _items(self, key: str, names: list[str], definitions: dict[str, ast.expr]) -> Formulas:
        text = self.text(key)
        full = formula.parse_formula(text, (), self.about(key)) if text else None
        if text and not names:
            self.report(text.where(), "it stands for nothing: all have formulas of their own", key)
        if full is None or full.tree is None:
            return {}
        if isinstance(full.tree, ast.Tuple) and len(full.tree.elts) != len(names):
            self.report(full.where, f"{len(full.tree.elts)} formulas for {', '.join(names)}", key)
            return {}
        return {name: self._meant(formula.item(full, k), key, definitions) for k, name in enumerate(names)}

    def _expression(self, key: str, syntax: Syntax) -> Formula | None:
        text = self.text(key)
        if text is None:
            return None
        tree = formula.parse_expression(text, syntax, self.about(key))
        return self._meant(Formula(text.value, tree, text.where()), key, self._meanings())

    def _backward(self) -> Formula | None:
        text = self.text("backward")
        parsed = formula.parse_formula(text, (), self.about("backward")) if text else None
        return self._meant(parsed, "backward", self._meanings()) if parsed else None

    def _reference(self, schema: Schema) -> Formulas:
        if self.function is None:
            return self._parts("reference", schema)
        if "reference" in self.values:
            message = f"there is a function for this op, too, at {self.function.where()}"
            self.report(self.keys["reference"], message, "reference")
        return read_function(self.function, schema, self.about("reference"))

    def _parts(self, key: str, schema: Schema) -> Formulas:
        node = self.values.get(key)
        if isinstance(node, yaml.MappingNode):
            result = self._named(key, node, schema, REFERENCE_SYNTAX, last=RESULT)
            if RESULT not in result:
                self.report(node, f"expected '{RESULT}' as the last name", key)
            return result
        text = self.text(key)
        tree = formula.parse_expression(text, REFERENCE_SYNTAX, self.about(key)) if text else None
        return {RESULT: Formula(text.value, tree, text.where())} if text and tree is not None else {}
