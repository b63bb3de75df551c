"""What is usually behind text that is no YAML: where the mistake is, and what to write instead.

libyaml says where it could not go on, often lines behind the mistake: behind an opening quote, all is text.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

Mistake = tuple[int, int, str]  # line and column, both from 0, and what is wrong there

MAX_LINES = 500  # that are looked at
_KEY = re.compile(r"( *)(- +)?([A-Za-z_][\w.]*)( *:)(?=\s|$)[ \t]*")
_NO_SPACE = re.compile(r" *(?:- +)?([A-Za-z_]\w*):(?=[^\s:=])")
_TOKEN = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:''|[^'])*'|[\[\]{}]")
_OPENING, _CLOSING = {"[": "]", "{": "}"}, {"]": "[", "}": "{"}
_SPECIAL = {
    "*": "an alias",
    "&": "an anchor",
    "!": "a tag",
    "%": "a directive",
    "@": "reserved",
    "`": "reserved",
    ",": "the end of an item",
    "?": "a key",
    "|": "a text of several lines",
    ">": "a text of several lines",
}


def mistake(lines: Sequence[str], error: Any) -> Mistake | None:
    """The first of the usual mistakes between the beginning of what libyaml was reading and where it stopped."""
    mark, last = error.problem_mark, min(error.problem_mark.line, len(lines) - 1)
    if "escape" in (error.problem or ""):
        return mark.line, mark.column, "a backslash in double quotes begins an escape: put the value in single quotes"
    begin = getattr(error, "context_mark", None)
    first = max(min(begin.line if begin else last, _item(lines, last)), last - MAX_LINES)
    return next((each for each in _mistakes(lines, first, last) if each), None)


def _item(lines: Sequence[str], number: int) -> int:
    """The line that begins the entry of a line."""
    return next((n for n in range(number, max(number - MAX_LINES, -1), -1) if lines[n].startswith("- ")), number)


def _mistakes(lines: Sequence[str], first: int, last: int) -> Iterator[Mistake | None]:
    block_indent, column = -1, None  # the indentation of the key of a block of text; that of an entry's keys
    for number in range(first, last + 1):
        line = lines[number]
        indent = len(line) - len(line.lstrip(" "))
        if not line.strip() or line.lstrip().startswith("#") or (block_indent >= 0 and indent > block_indent):
            continue
        block_indent = -1
        yield _tab(number, line)
        yield _missing_space(number, line)
        key = _KEY.match(line)
        if key is None:
            continue
        column = len(key[1] + key[2]) if key[2] else column
        if not key[2] and column is not None and (indent < column or number == last):
            yield _indented(number, indent, column, key[3])
        value = line[key.end() :]
        if re.fullmatch(r"[|>][-+\d]*\s*(#.*)?", value):
            block_indent = len(key[1] + (key[2] or ""))
        else:
            yield _value(number, key.end(), value, _behind(lines, number, indent))


def _behind(lines: Sequence[str], number: int, indent: int) -> str:
    """The lines that may belong to a value: up to the next key that is not deeper."""
    matches: list[str] = []
    for line in lines[number + 1 : number + 50]:
        key = _KEY.match(line)
        if line.startswith("- ") or (key is not None and len(key[1]) <= indent):
            break
        matches.append(line)
    return "\n".join(matches)


def _tab(number: int, line: str) -> Mistake | None:
    column = line.find("\t")
    is_text = column < 0 or ("'" in line[:column] or '"' in line[:column] or "#" in line[:column])
    return None if is_text else (number, column, "a tab: YAML is indented by spaces")


def _missing_space(number: int, line: str) -> Mistake | None:
    if match := _NO_SPACE.match(line):
        return number, match.end(), f"a space belongs between '{match[1]}:' and its value"
    if re.match(r" *-[A-Za-z_]\w*:", line):
        return number, line.index("-") + 1, "a space belongs behind '-'"
    return None


def _indented(number: int, indent: int, column: int, key: str) -> Mistake | None:
    if indent == column:
        return None
    if indent == 0 and key in ("name", "section"):
        return number, 0, f"an item of a spec begins with a dash: `- {key}: ...`"
    return number, indent, f"'{key}' is indented by {indent}, the keys of its entry by {column}"


def _value(number: int, column: int, value: str, behind: str) -> Mistake | None:
    first = value[:1]
    if first in ("'", '"'):
        return _quoted(number, column, value, behind)
    if first in _OPENING:
        return _bracketed(number, column, value, behind)
    if first in _SPECIAL or value.startswith("- "):
        meaning = _SPECIAL.get(first, "an item of a list")
        return number, column, f"'{first}' at the beginning of a value is {meaning} in YAML: put the value in quotes"
    if (at := value.find(": ")) >= 0 or (at := len(value.rstrip()) - 1) >= 0 and value.rstrip().endswith(":"):
        return number, column + at, "': ' in a value begins another key: put the value in quotes"
    return None


def _quoted(number: int, column: int, value: str, behind: str) -> Mistake | None:
    match = _TOKEN.match(f"{value}\n{behind}")
    if match is None or "\n- " in match[0]:
        return number, column, f"the quote {value[0]} is never closed"
    return _rest(number, column, value, match.end(), f"the quote {value[0]}")


def _bracketed(number: int, column: int, value: str, behind: str) -> Mistake | None:
    open_: list[str] = []
    for match in _TOKEN.finditer(f"{value}\n{behind}"):
        mark = match[0]
        if mark in _OPENING:
            open_.append(mark)
        elif mark in _CLOSING and (not open_ or open_.pop() != _CLOSING[mark]):
            break
        if not open_:
            return _rest(number, column, value, match.end(), f"'{value[0]}'")
    return number, column, f"the bracket {value[0]} is never closed"


def _rest(number: int, column: int, value: str, end: int, what: str) -> Mistake | None:
    rest = value[end:].strip()
    if end > len(value) or not rest or rest.startswith("#"):
        return None
    end += len(value[end:]) - len(value[end:].lstrip())
    return number, column + end, f"a value that begins with {what} ends here: put all of it in quotes"
