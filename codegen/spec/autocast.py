"""Reads the key `autocast`: what tensors are cast to inside `autocast`, by type of device; a section lists its ops.

autocast:
  all: {lower: [conv1d, conv2d]}
  cuda: {float32: [cumsum, cumprod]}
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import yaml

from ..language.syntax import one_of
from .fields import AUTOCAST, AUTOCAST_DEVICES
from .formula import Report
from .model import Where
from .source import Source

REFUSE = "refuse: "  # begins what stands for refuse(why)
LIKE = "like "  # begins a word that names an argument
_REFUSED = re.compile(r"refuse\((.*\S.*)\)")


def read_autocast(node: yaml.Node | None, source: Source, report: Report) -> dict[str, str]:
    if node is None:
        return {}
    if not isinstance(node, yaml.MappingNode):
        word = read_word(node, source, report)
        return dict.fromkeys(AUTOCAST_DEVICES, word) if word else {}
    results: dict[str, str] = {}
    for device, value in node.value:
        word = read_word(value, source, report)
        if device.value not in AUTOCAST_DEVICES:
            devices = " and ".join(AUTOCAST_DEVICES)
            report(source.where(device), f"{devices} are the types of devices, as in {{cpu: lower, cuda: float32}}")
        elif device.value in results:
            report(source.where(device), f"'{device.value}' is given twice")
        elif word:
            results[device.value] = word
    return results


def read_word(node: yaml.Node, source: Source, report: Report) -> str:
    word = " ".join(node.value.split()) if isinstance(node, yaml.ScalarNode) else ""
    if refused := _REFUSED.fullmatch(word):
        return REFUSE + refused[1].strip()
    if word in AUTOCAST or word.startswith(LIKE):
        return word
    report(source.where(node), f"unknown value '{word}'{one_of(word, AUTOCAST, ', like ARGUMENT or refuse(why)')}")
    return ""


ALL = "all"  # devices
EXPECTED = "ops by device and word are wanted here, as in {cuda: {float32: [cumsum]}}"


@dataclass(frozen=True)
class Cast:
    where: Where  # where the first list names it
    choices_of: dict[str, str] = field(default_factory=dict)  # type of device -> word


def read_casts(node: yaml.Node | None, source: Source, report: Report) -> dict[str, Cast]:
    results: dict[str, Cast] = {}
    for device, word, name, where in _items(node, source, report):
        devices = AUTOCAST_DEVICES if device == ALL else (device,)
        cast = results.get(name, Cast(where))
        if cast.choices_of.keys() & set(devices):
            report(where, f"'{name}' is in two lists for one device")
        choices_of = cast.choices_of | dict.fromkeys(devices, word)
        results[name] = Cast(cast.where, {each: choices_of[each] for each in AUTOCAST_DEVICES if each in choices_of})
    return results


def _items(node: yaml.Node | None, source: Source, report: Report) -> Iterator[tuple[str, str, str, Where]]:
    for device, choices_of in _pairs(node, source, report):
        if device.value not in (ALL, *AUTOCAST_DEVICES):
            report(source.where(device), f"expected one of {' '.join((ALL, *AUTOCAST_DEVICES))}")
            continue
        for key, names in _pairs(choices_of, source, report):
            word = read_word(key, source, report)
            if not isinstance(names, yaml.SequenceNode):
                report(source.where(names), "a list of ops is wanted here")
                continue
            for name in names.value if word else ():
                yield device.value, word, str(name.value), source.where(name)


def _pairs(node: yaml.Node | None, source: Source, report: Report) -> list[tuple[yaml.Node, yaml.Node]]:
    if node is not None and not isinstance(node, yaml.MappingNode):
        report(source.where(node), EXPECTED)
    return node.value if isinstance(node, yaml.MappingNode) else []
