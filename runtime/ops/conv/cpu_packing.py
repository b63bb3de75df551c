"""Copies between arrays and the pictures that a convolution computes with; conv_layout.py says where what lies."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...kernels.jit import jit
from ...kernels.llvm.shifted import copied_rows, doubled_rows, halved_rows
from .cpu_layout import Layout, Target

Array = np.ndarray


@jit
def picture_layout(n: Array) -> Any:
    """The layout whose numbers these are."""
    return Layout(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], n[9])


@jit
def result_target(n: Array) -> Any:
    """The target whose numbers these are."""
    return Target(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8])


@jit
def copy_pictures(x: Array, here: Any, parts: Array, pictures: Array) -> None:
    """The pictures of a group's channels; what lies around them is zero already."""
    for number in range(here.channels * here.pictures):
        c, p = divmod(number, here.pictures)
        part = parts[p]
        for i in range(part[0]):
            source = x[c * here.channel + part[3] + i * here.step0 :]
            to = pictures[c * here.pictures * here.picture + part[4] + i * here.pitch0 :]
            if here.step2 == 1:
                copied_rows(to, here.pitch1, source, here.step1, part[1], part[2])
            elif here.step2 == 2:
                halved_rows(to, here.pitch1, source, here.step1, part[1], part[2])
            else:
                for j in range(part[1]):
                    for k in range(part[2]):
                        to[j * here.pitch1 + k] = source[j * here.step1 + k * here.step2]


@jit
def spread_results(rows: int, scratch: Array, here: Any, task: Array, out: Array, there: Any) -> None:
    """Brings the results of some channels from the pictures' pitch to their places."""
    for number in range(rows * task[3]):
        r, i = divmod(number, task[3])
        source = scratch[r * there.scratch + i * here.pitch0 :]
        to = out[r * there.channel + i * there.step0 :]
        if there.step2 == 1:
            copied_rows(to, there.step1, source, here.pitch1, task[4], task[5])
        elif there.step2 == 2:
            doubled_rows(to, there.step1, source, here.pitch1, task[4], task[5])
        else:
            for j in range(task[4]):
                for k in range(task[5]):
                    to[j * there.step1 + k * there.step2] = source[j * here.pitch1 + k]
