"""Convolutions and attention by cuDNN: each is a graph of one operation."""

from __future__ import annotations

from typing import Any

import numpy as np

from .attentions import Attention, Ints, Layout
from .convolutions import Convolution, row_strides
from .cudnn_graphs import DATA_TYPES, Graphs

FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
FIRST, SECOND, RESULT = 1, 2, 3  # the tensors of a convolution


class Cudnn(Graphs):
    """What cuDNN computes. See `Convolutions` and `Attentions`."""

    def convolve(self, given: Convolution, input: int, weight: int, output: int, stream: int) -> bool:
        return self._convolve("fprop", given, (input, weight, output), stream)

    def convolve_input_gradient(self, given: Convolution, grad: int, weight: int, result: int, stream: int) -> bool:
        return self._convolve("dgrad", given, (grad, weight, result), stream)

    def convolve_weight_gradient(self, given: Convolution, input: int, grad: int, result: int, stream: int) -> bool:
        return self._convolve("wgrad", given, (input, grad, result), stream)

    def _convolve(self, kind: str, given: Convolution, addresses: Ints, stream: int) -> bool:
        if given.stored.name not in DATA_TYPES:
            return False

        def describe(handle: Any) -> Any:
            return self._convolution(kind, given, handle)

        return self.run((kind, given), describe, self._refused(given), addresses, stream)

    def _graph(self, stored: np.dtype, handle: Any) -> Any:
        """An empty graph, which adds up in float32, or float64 where that is given."""
        computed = self.data_type(FLOAT64 if stored == FLOAT64 else FLOAT32)
        own = self.data_type(stored)
        types = {"io_data_type": own, "intermediate_data_type": computed, "compute_data_type": computed}
        return self.cudnn.pygraph(handle=handle, **types)

    def _convolution(self, kind: str, given: Convolution, handle: Any) -> Any:
        graph, own = self._graph(given.stored, handle), self.data_type(given.stored)
        names, shapes = operands(kind, given)
        first, second = (
            graph.tensor(name=name, dim=list(shape), stride=list(row_strides(shape)), data_type=own, uid=uid)
            for name, shape, uid in zip(names, shapes[:2], (FIRST, SECOND), strict=True)
        )
        spatial = given.spatial
        result = getattr(graph, f"conv_{kind}")(
            **{names[0]: first, names[1]: second},
            pre_padding=list(given.pads[spatial]),
            post_padding=list(given.pads_after[spatial]),
            stride=list(given.stride[spatial]),
            dilation=list(given.dilation[spatial]),
        )
        finish(result, RESULT, own, Layout(shapes[2], row_strides(shapes[2])))
        return graph

    def _refused(self, given: Convolution) -> list[Any]:
        """What no plan may do: round float32 where that was not allowed, or add up in any order."""
        notes, found = self.cudnn.numerical_note, []
        if given.stored.name == "float32":
            found.append(notes.DOWN_CONVERT_INPUTS)
            if not given.tf32:
                found.append(notes.TENSOR_CORE)
        if given.deterministic:
            found.append(notes.NONDETERMINISTIC)
        return found

    def attend(self, given: Attention, operands: Ints, output: int, logarithms: int, stream: int) -> bool:
        def describe(handle: Any) -> Any:
            graph, own = self._graph(given.stored, handle), self.data_type(given.stored)
            q, k, v = self._inputs(graph, own, {"q": given.query, "k": given.key, "v": given.value})
            scores = {"attn_scale": given.scale, "use_causal_mask": given.is_causal}
            found, stats = graph.sdpa(q=q, k=k, v=v, generate_stats=True, **scores)
            finish(found, 4, own, given.output)
            finish(stats, 5, self.data_type(FLOAT32), logarithms_of(given))
            return graph

        return self.run(given, describe, [], (*operands, output, logarithms), stream)

    @staticmethod
    def _inputs(graph: Any, kind: Any, layouts: dict[str, Layout]) -> list[Any]:
        """The tensors that are given, numbered from 1 on."""
        return [
            graph.tensor(name=name, dim=list(one.shape), stride=list(one.strides), data_type=kind, uid=uid)
            for uid, (name, one) in enumerate(layouts.items(), 1)
        ]


def finish(result: Any, uid: int, kind: Any, layout: Layout) -> None:
    """Say how a result is to lie in memory."""
    result.set_output(True).set_uid(uid).set_data_type(kind)
    result.set_dim(list(layout.shape)).set_stride(list(layout.strides))


def logarithms_of(given: Attention) -> Layout:
    """How the logarithms of an attention lie."""
    shape = (*given.query.shape[:3], 1)
    return Layout(shape, row_strides(shape))


def operands(kind: str, given: Convolution) -> tuple[tuple[str, str], tuple[Ints, Ints, Ints]]:
    """What the operation calls its operands, and the shapes of these and of the result."""
    x, w, y = given.input_shape, given.weight_shape, given.output_shape
    return {
        "fprop": (("image", "weight"), (x, w, y)),
        "dgrad": (("loss", "filter"), (y, w, x)),
        "wgrad": (("image", "loss"), (x, y, w)),
    }[kind]
