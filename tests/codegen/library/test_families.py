"""Which entries make a family, however a spec is laid out; and that each family has its page."""

from __future__ import annotations

from pathlib import Path

import pytest

from specgrad.codegen.library.bases import SPEC
from specgrad.codegen.library.families import MAX_TITLE_CHARS, families, slugs
from specgrad.codegen.library.op_library import RUNTIME, Library, runtime_library
from specgrad.codegen.proof.derive import load_spec

ENTRY = "- name: {}(Tensor self) -> Tensor\n  composite: self + self\n  samples: ['self=T(3)']\n"

# Lines of one letter are entries.
CASES = {
    "a section": ("- section: Waves\n\n# ---- no heading ----\n\na\n- section: Sums\nb", {"Waves": "a", "Sums": "b"}),
    "an empty section": ("- section: Waves\n- section: Sums\na\n- section: Rest", {"Sums": "a"}),
    "entries above the first section": ("# Waves: up.\n\na\n- section: Sums\nb", {"Ops": "a", "Sums": "b"}),
    "the same title twice": (
        "- section: Waves\na\n- section: Sums\nb\n- section: Waves\nc",
        {"Waves": "ac", "Sums": "b"},
    ),
    "no section": ("# about a\na\n\n# about b\nb", {"Ops": "ab"}),
    "a title of other letters": ("- section: Völlig öde\na\n- section: 波\nb", {"Völlig öde": "a", "波": "b"}),
}


@pytest.mark.parametrize("case", CASES)
def test_entries_belong_to_the_section_above(case: str, tmp_path: Path) -> None:
    """No comment makes, ends or loses a family; one without entries has no page."""
    text, expected = CASES[case]
    lines = [
        ENTRY.format(line) if len(line) == 1 and line.isalpha() and line.isascii() else f"{line}\n"
        for line in text.split("\n")
    ]
    for end in ("\n", "\r\n"):
        path = tmp_path / "ops.yaml"
        path.write_bytes("".join(lines).replace("\n", end).encode())
        spec, problems = load_spec(path)
        assert problems == []
        found = families(spec.entries)
        assert {family.title: "".join(e.name for e in family.entries) for family in found} == expected
        assert len({family.slug for family in found}) == len(found)


def test_introductions_are_those_of_the_sections(tmp_path: Path) -> None:
    """Sections of one title have both introductions."""
    path = tmp_path / "ops.yaml"
    first, second = (f"- section: Waves\n  about: {text}\n" for text in ("They go up.", "And down."))
    path.write_text(first + ENTRY.format("a") + second + ENTRY.format("b"))
    (family,) = families(load_spec(path)[0].entries)
    assert (family.title, family.introduction) == ("Waves", "They go up. And down.")


TITLES = ["Powers", "Powers!", "powers", "P.o.w.e.r.s", "???", "...", "波", "波 動", "Größe", "x" * 300, "x" * 200]


def test_every_title_has_a_file_of_its_own() -> None:
    """Titles of which the letters are the same, of no letters, of letters in any script, and long ones."""
    names = slugs(TITLES)
    assert list(names) == TITLES and len(set(names.values())) == len(TITLES)
    assert [names[title] for title in TITLES[:5]] == ["powers", "powers-2", "powers-3", "p-o-w-e-r-s", "section"]
    assert (names["波 動"], names["Größe"]) == ("波-動", "grösse")
    assert all(0 < len(name) <= MAX_TITLE_CHARS + 3 and "/" not in name for name in names.values())


def test_a_family_has_one_name():
    """A section of the spec, its page, and the folder with its kernels; the other folders hold functions that are no
    ops.
    """
    folders = {path.parent.name for path in (RUNTIME / "ops").glob("*/__init__.py")}
    found = families(load_spec(SPEC)[0].entries)
    assert all(family.title == family.slug for family in found)
    assert folders - {family.title for family in found} == {"creation", "elementwise", "numeric", "optim"}
    library = Library((runtime_library(),))
    for family in found:
        kernels = [entry.compute.text for entry in family.entries if entry.compute.kind == "kernel"]
        parts = [part for name in kernels for kind in ("kernel", "plan") if (part := library.get(kind, name))]
        folder = family.title if family.title in folders else "elementwise"
        assert {part.location: part.module[1] for part in parts if part.module[1] != folder} == {}
