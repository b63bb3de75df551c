"""The words of generated docstrings, on entries of the real spec."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from specgrad.codegen.emit.docstrings import DocCode
from specgrad.codegen.emit.render import Renderer, Target, overload_groups
from specgrad.codegen.library.rule_doc import demand
from specgrad.codegen.proof.derive import load_spec
from specgrad.codegen.spec.model import Entry
from tests.repository import ROOT

SPEC = ROOT / "derivatives.yaml"


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    return Renderer(load_spec(SPEC, SPEC.name)[0], Target())


@pytest.fixture(scope="module")
def docs(renderer: Renderer) -> dict[str, DocCode]:
    return {code.entry.name: code.docs for code in renderer.ops}


ARGUMENTS = [
    ("add.Tensor", "input", "tensor or number."),
    ("add.Tensor", "other", "tensor or number."),
    ("add.Tensor", "alpha", "number, by keyword; default 1."),
    ("where.self", "condition", "tensor, not differentiated."),
    ("clamp", "min", "number or None; default None."),
    ("cat", "tensors", "sequence of tensors."),
    ("view", "size", "sequence of ints."),
    ("conv2d", "padding", "int or 2 ints; default 0."),
    ("index_put", "indices", "sequence of tensors and None, not differentiated."),
    ("sum.dim_IntList", "keepdim", "bool, whether reduced dimensions stay, with size 1; default False."),
]

RETURNS = [
    ("mul.Tensor", [("Tensor", "the common dtype of the arguments.")]),
    ("abs", [("Tensor", "the dtype of `input`, its real counterpart for complex numbers.")]),
    ("exp", [("Tensor", "the dtype of `input`, the default float for bools and integers.")]),
    ("eq.Tensor", [("Tensor", "bool.")]),
    ("mm", [("Tensor", "the dtype that all tensors share.")]),
    ("cumsum", [("Tensor", "`dtype`, else the dtype of `input`, int64 for bools and integers.")]),
    ("max.dim", [("values", "the dtype of `input`."), ("indices", "int64.")]),
    ("transpose", [("Tensor", "a view of `input`: it shares the memory.")]),
    ("reshape", [("Tensor", "shares the memory of `input` where it can.")]),
    ("fill_.Scalar", [("Tensor", "`input` itself.")]),
    ("chunk", [("tuple of Tensors", "shares the memory of `input` where it can.")]),
    ("clamp", [("Tensor", "the dtype that its ops give.")]),
]


@pytest.mark.parametrize(("op", "argument", "slot_values"), ARGUMENTS)
def test_arguments_have_type_meaning_and_default(docs: dict[str, DocCode], op: str, argument: str, slot_values: str):
    assert dict(docs[op].arguments)[argument] == slot_values


@pytest.mark.parametrize(("op", "lines"), RETURNS)
def test_results_state_their_dtype_or_whose_memory_they_share(docs: dict[str, DocCode], op: str, lines: list[str]):
    assert docs[op].returns == lines


def test_gradients_are_the_formulas_of_the_spec(docs: dict[str, DocCode]):
    """A mask has none, a constant says why it has none, and a composite names the ops whose gradients it has."""
    assert docs["mul.Tensor"].gradients == [("self", "grad * other.conj()"), ("other", "grad * self.conj()")]
    assert [name for name, _ in docs["gather"].gradients] == ["self"]
    assert dict(docs["nll_loss"].gradients)["weight"] == "not defined: class weights are constants of the loss"
    assert docs["max.other"].gradients == [("through", "maximum(self, other)")]


def test_a_check_says_what_it_demands_and_raises(renderer: Renderer, docs: dict[str, DocCode]):
    """The words are those of the rule's docstring, the exceptions those that it or a function it calls raises."""
    dot, one_dim = (demand(renderer.library["check", name]) for name in ("dot", "one_dim"))
    assert dot.errors == ("RuntimeError",)
    assert one_dim.errors == ("IndexError",)
    assert one_dim.phrases == "a single `dim` in range."
    assert docs["dot"].raises == [("RuntimeError", "expected: two vectors of one length.")]
    assert docs["mul.Tensor"].raises == [("RuntimeError", "expected: shapes that broadcast.")]


def test_a_docstring_has_all_sections_in_lines_that_fit(docs: dict[str, DocCode]):
    lines = docs["gather"].text.splitlines()
    assert [line for line in lines if line.endswith(":") and not line.startswith(" ")] == [
        "Args:",
        "Returns:",
        "Gradients:",
        "Raises:",
        "Example:",
    ]
    assert lines[2].startswith(
        "gather(Tensor input, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor (deriv"
    )
    assert max(map(len, lines)) <= 116


def test_overloads_share_arguments_and_show_their_examples(renderer: Renderer, docs: dict[str, DocCode]):
    """The function that picks lists the overloads; an example is shown there and not a second time."""
    groups = overload_groups(renderer.ops)
    text = DocCode("clamp", tuple(groups["clamp"])).dispatcher_doc
    assert "    clamp(input, min=None, max=None): x limited to [min, max], element by element." in text
    assert "    min: number or tensor or None; default None." in text
    assert ">>> " in text and ">>> " not in docs["clamp"].text


def test_an_example_is_a_block_or_a_list_of_lines(entry: Callable[[str], Entry]):
    name = "- name: f(Tensor self) -> Tensor\n  elementwise: self\n"
    block = entry(name + "  example: |\n    >>> sg.f(x)\n    tensor([1.])\n")
    listed = entry(name + "  example: ['>>> sg.f(x)', 'tensor([1.])']\n")
    assert block.example == listed.example == ">>> sg.f(x)\ntensor([1.])"
