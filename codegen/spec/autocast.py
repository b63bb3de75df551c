"""Reads the key `autocast`: what an op's tensors are cast to inside `autocast`, on each type of device."""

from __future__ import annotations

import re

import yaml

from .formula import Report
from .keys import AUTOCAST, AUTOCAST_DEVICES
from .source import Source
from .suggest import did_you_mean

REFUSE = "refuse: "  # begins what stands for refuse(why)
LIKE = "like "  # begins a word that names an argument
_REFUSED = re.compile(r"refuse\((.*\S.*)\)")


def read_autocast(node: yaml.Node | None, source: Source, report: Report) -> dict[str, str]:
    """The word for each type of device: one word stands for all of them, a mapping names those that it means."""
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
    """A word of the key; `refuse: why` for `refuse(why)`, nothing for what is none."""
    word = " ".join(node.value.split()) if isinstance(node, yaml.ScalarNode) else ""
    if refused := _REFUSED.fullmatch(word):
        return REFUSE + refused[1].strip()
    if word in AUTOCAST or word.startswith(LIKE):
        return word
    hint = did_you_mean(word, AUTOCAST) or f" (one of {' '.join(AUTOCAST)}, like ARGUMENT or refuse(why))"
    report(source.where(node), f"unknown value '{word}'{hint}")
    return ""
