"""Reads what an entry says for its tests: samples, calls that are refused, intervals of numbers, dtypes, examples."""

from collections.abc import Iterable

import yaml

from ..language.syntax import did_you_mean, one_of
from . import formula
from .fields import DTYPES, ERRORS, NUMBERS, REFUSED, GroupedFields
from .model import Refusal, Sample, Schema
from .source import SourceString

OFF = "off, because"  # how the key `verify` begins
INEXACT = " units of the argument, because"  # what the key `accuracy` has behind its number
WIDEST = 1e15  # of a domain: numbers are drawn from cells of it


class TrialFields(GroupedFields):
    """The keys of one entry that say with which arguments it is tried, and what comes out."""

    def _refuses(self) -> tuple[Refusal, ...]:
        groups = self.groups("errors", ERRORS)
        return tuple(Refusal(c, error) for error, strings in groups.items() for c in self._samples("errors", strings))

    def _samples(self, key: str, strings: Iterable[SourceString]) -> tuple[Sample, ...]:
        parsed = [(t, formula.parse_sample(t, self.about(key))) for t in strings]
        return tuple(Sample(t.value, arguments, t.where()) for t, arguments in parsed if arguments is not None)

    def _example(self) -> str:
        strings = self.items("example")
        if strings and not strings[0].value.startswith(">>> "):
            self.report(strings[0].where(), "an example begins with '>>> '", "example")
        return "\n".join(text.value.rstrip() for text in strings)

    def _domain(self, schema: Schema) -> dict[str, tuple[float, float]]:
        """`[lo, hi]` for every tensor argument, or one interval per argument."""
        node = self.values.get("domain")
        if node is None:
            return {}
        if not isinstance(node, yaml.MappingNode):
            interval = self._interval(node)
            return {a.name: interval for a in schema.arguments if a.type.is_tensor}
        if not node.value:
            self.report(node, "no intervals say nothing: fill it in, or leave the key out", "domain")
        known = [a.name for a in schema.arguments]
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                self.report(key, "the name of an argument is wanted here", "domain")
            elif key.value not in known:
                self.report(key, f"no argument '{key.value}'{did_you_mean(key.value, known)}", "domain")
        return {key.value: self._interval(value) for key, value in node.value if key.value in known}

    def _gives(self, schema: Schema) -> dict[str, str]:
        node = self.values.get("dtype_table")
        if node is None:
            return {}
        if not isinstance(node, yaml.MappingNode):
            message = "dtypes and what comes out are wanted here, as in {int32: float32, int32 float64: float64}"
            self.report(node, message, "dtype_table")
            return {}
        pairs = [(self._dtypes(key, (*NUMBERS,)), self._dtypes(value, (REFUSED,))) for key, value in node.value]
        outputs = len(schema.returns)
        for (_, value), (_, text) in zip(node.value, pairs, strict=True):
            if len(text.split()) not in (0, 1, outputs):
                message = f"{len(text.split())} dtypes for {outputs} output{'s' * (outputs > 1)}"
                self.report(value, message, "dtype_table")
        return dict(pairs)

    def _dtypes(self, node: yaml.Node, more: tuple[str, ...]) -> str:
        names = node.value.split() if isinstance(node, yaml.ScalarNode) else []
        known = (*DTYPES, *more)
        for word in names or [""]:
            if word not in known:
                self.report(node, f"unknown dtype '{word}'{one_of(word, known)}", "dtype_table")
        return " ".join(names)

    def _unvaried(self, schema: Schema) -> dict[str, str]:
        node = self.values.get("skip_grad_args")
        pairs = node.value if isinstance(node, yaml.MappingNode) else []
        known, result = [a.name for a in schema.arguments], {}
        if node is not None and not pairs:
            self.report(node, "arguments with reasons are wanted here, {argument: why}", "skip_grad_args")
        for key, value in pairs:
            if not isinstance(key, yaml.ScalarNode) or key.value not in known:
                hint = did_you_mean(key.value, known) if isinstance(key, yaml.ScalarNode) else ""
                name = f" '{key.value}'" if isinstance(key, yaml.ScalarNode) else " of this kind"
                self.report(key, f"no argument{name}{hint}", "skip_grad_args")
            elif not isinstance(value, yaml.ScalarNode) or not value.value.strip():
                self.report(value, f"the reason why '{key.value}' is not varied is wanted here", "skip_grad_args")
            else:
                result[key.value] = value.value
        return result

    def _unverified(self) -> str:
        text = self.plain("verify") or ""
        reason = text.removeprefix(OFF).strip()
        if "verify" in self.values and not (text.startswith(OFF) and reason):
            self.report(self.values["verify"], f"expected `{OFF} ...` with the reason, found '{text}'", "verify")
        return reason

    def _inexact(self) -> tuple[float, str]:
        text = self.plain("accuracy") or ""
        units, _, reason = text.partition(INEXACT)
        if "accuracy" in self.values and not (units.isdecimal() and reason.strip()):
            form = f"`N{INEXACT} ...` with the reason"
            self.report(self.values["accuracy"], f"expected {form}, found '{text}'", "accuracy")
            return 0.0, ""
        return float(units or 0), reason.strip()

    def _interval(self, node: yaml.Node) -> tuple[float, float]:
        try:
            low, high = (float(item.value) for item in node.value)
            if -WIDEST <= low < high <= WIDEST:
                return low, high
        except (TypeError, ValueError, AttributeError):
            pass
        self.report(node, "an interval [lo, hi] with lo < hi is wanted here, neither beyond 1e15", "domain")
        return -2.0, 2.0
