"""Docstrings as Markdown: titled sections, lists of arguments, examples and formulas as blocks of code."""

import inspect
import re
from collections.abc import Iterator

SECTION = re.compile(r"^([A-Z]\w+):(?: (.*))?$")
LISTS = {"Args", "Attributes", "Raises", "Returns", "Overloads", "Gradients"}
CODE = {"Formula"}
ON_ONE_LINE = LISTS | CODE | {"Shape", "Source", "Example"}  # titles whose text may follow on their line
ITEM = re.compile(r"^((?:\*{0,2}[\w.]+(?:\(.*?\))?, )*\*{0,2}[\w.]+(?:\(.*\).*?)?): (.*)", re.DOTALL)
PARTS = re.compile(r"(`[^`]*`|https?://\S+)")
SPECIAL = re.compile(r"([\\*_<>\[\]|])")


def markdown(doc: str) -> str:
    """A docstring in Google's form as Markdown."""
    blocks = [part for block in _blocks(inspect.cleandoc(doc)) for part in _rendered(*block)]
    return "\n\n".join(blocks)


def escaped(text: str) -> str:
    """Prose, in which only backquotes mean something."""
    parts = PARTS.split(text)
    return "".join(part if number % 2 else SPECIAL.sub(r"\\\1", part) for number, part in enumerate(parts))


def _blocks(doc: str) -> Iterator[tuple[str, list[str]]]:
    """Titles and lines; text outside sections has none. A section ends before the next line that is not indented."""
    title = ""
    lines: list[str] = []
    for line in doc.splitlines():
        match = SECTION.match(line)
        if match is not None and match[2] is not None and match[1] not in ON_ONE_LINE:
            match = None  # prose that begins with a word and a colon
        if match is not None:
            yield title, lines
            title, lines = match[1], [match[2]] if match[2] else []
        elif title and lines and not lines[-1] and line and not line.startswith(" "):
            yield title, lines
            title, lines = "", [line]
        else:
            lines.append(line)
    yield title, lines


def _rendered(title: str, lines: list[str]) -> Iterator[str]:
    body = inspect.cleandoc("\n".join(["", *lines])).strip()
    if not body:
        return
    if title:
        yield f"**{title}**"
    if title in CODE:
        yield f"```text\n{body}\n```"
    elif title in LISTS:
        yield "\n".join(f"- {_item(item)}" for item in re.split(r"\n(?! )", body))
    else:
        yield from _prose(body)


def _item(text: str) -> str:
    line = " ".join(text.split())
    match = ITEM.match(line)
    return f"`{match[1]}`: {escaped(match[2])}" if match else escaped(line)


def _prose(body: str) -> Iterator[str]:
    """Paragraphs; one that begins with a prompt or is indented is code."""
    for paragraph in re.split(r"\n\s*\n", body):
        if paragraph.startswith(">>> "):
            yield f"```pycon\n{paragraph}\n```"
        elif all(line.startswith("    ") for line in paragraph.splitlines()):
            yield f"```python\n{inspect.cleandoc(paragraph)}\n```"
        else:
            prose, prompt, code = paragraph.partition("\n>>> ")
            yield escaped(prose)
            if prompt:
                yield f"```pycon\n>>> {code}\n```"
