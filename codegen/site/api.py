"""The API pages: one for each module, with its functions, and one for each class, with its methods.

A function or method that is an op is a link to its section on the pages of ops.
"""

import inspect
import re
import sys
from collections.abc import Iterator, Mapping, Sequence

from .docstrings import escaped, markdown
from .public import Public, public_objects

FOLDER = "docs/api"
OP_HEADING = re.compile(r"^## (\w+)$(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
MAX_NAMES = 8  # of a module in the index
MAX_LINE = 88  # of a signature
OP_CALL = re.compile(r"\b(sg\.[\w.]+|Tensor\.\w+)(?=[(`])")


def api_pages(sources: Mapping[str, str]) -> dict[str, str]:
    """Pages by path; `sources` has those of the ops, which they link to."""
    ops = op_links(sources)
    owners: dict[str, list[Public]] = {}
    classes = {}
    for public in public_objects():
        owners.setdefault(public.path.rpartition(".")[0], []).append(public)
        if public.kind == "class":
            classes[public.path] = public
    modules = {path: members for path, members in owners.items() if path not in classes}
    pages = {page_of(path): module_page(path, members, ops) for path, members in modules.items()}
    pages |= {page_of(path): class_page(cls, owners.get(path, ()), ops) for path, cls in classes.items()}
    pages[f"{FOLDER}/index.md"] = index_page(modules)
    return pages


def page_of(path: str) -> str:
    return f"{FOLDER}/{path}.md"


def op_links(sources: Mapping[str, str]) -> dict[str, str]:
    """The section of each op, by the names of its functions and methods, as seen from the API pages."""
    links = {}
    for page, text in sources.items():
        if page.startswith("docs/ops/"):
            for name, section in OP_HEADING.findall(text):
                calls = OP_CALL.findall(section.partition("- argument")[0])
                paths = [re.sub(r"^sg\.|^(?=Tensor)", "specgrad.", call) for call in calls]
                links.update(dict.fromkeys(paths, f"../{page[5:]}#{name}"))
    return links


def index_page(modules: Mapping[str, Sequence[Public]]) -> str:
    head = "Names and meaning are PyTorch's ([what differs](../pytorch.md)). [Ops](../ops.md) has the ops by family."
    rows = [f"| [`{path}`]({path}.md) | {_shown_names(members)} |" for path, members in sorted(modules.items())]
    return "\n".join(["# API", "", head, "", "| module | functions and classes |", "|---|---|", *rows, ""])


def _shown_names(members: Sequence[Public]) -> str:
    unique = {_name(each).rstrip("_") for each in members if each.kind in ("class", "function")}
    names = sorted(unique, key=lambda name: (name[:1].isupper(), name))
    more = f", and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
    return ", ".join(f"`{name}`" for name in names[:MAX_NAMES]) + more


def module_page(path: str, members: Sequence[Public], ops: Mapping[str, str]) -> str:
    module = sys.modules.get(path)
    # A module without a file is made from the table of PyTorch's names, and its docstring speaks of that.
    parts = [f"# {path}", markdown(module.__doc__ or "") if hasattr(module, "__file__") else ""]
    classes = [f"- [`{_name(each)}`]({each.path}.md): {_summary(each)}" for each in members if each.kind == "class"]
    if classes:
        parts += ["## Classes", "\n".join(sorted(classes))]
    return "\n\n".join([*parts, *_functions([each for each in members if each.kind == "function"], ops)]) + "\n"


def class_page(cls: Public, members: Sequence[Public], ops: Mapping[str, str]) -> str:
    module, _, _ = cls.path.rpartition(".")
    parts = [f"# {cls.path}", f"Of [`{module}`]({module}.md).", _signature(cls), markdown(cls.doc)]
    listed = {each.path for each in members}
    # An op is one object as a function and as a method, and the walk names each object once.
    methods = [path for path in ops if path.startswith(f"{cls.path}.") and path not in listed and "._" not in path]
    members = [*members, *(Public(path, getattr(cls.object, _last(path)), "method") for path in methods)]
    return "\n\n".join([*parts, *_functions([each for each in members if each.kind != "class"], ops)]) + "\n"


def _functions(functions: Sequence[Public], ops: Mapping[str, str]) -> Iterator[str]:
    """Ops as a list of links, anything else in full."""
    functions = sorted(functions, key=_name)
    links = {each.path: link for each in functions if (link := _op_link(each, ops))}
    shown = [
        each
        for each in functions
        if each.path in links and each.path.removesuffix("_") not in links.keys() - {each.path}
    ]
    if shown:
        yield "## Ops"
        yield "Names with `_` at their end, which write into their first argument, stand with the op."
        yield "\n".join(f"- [`{_name(each)}`]({links[each.path]}): {_summary(each)}" for each in shown)
    for each in functions:
        if each.path not in links:
            yield f"## {escaped(_name(each))} {{ #{_name(each)} }}"
            yield _signature(each)
            yield markdown(each.doc)


def _op_link(public: Public, ops: Mapping[str, str]) -> str | None:
    return ops.get(public.path, ops.get(public.path.rstrip("_"))) if public.generated else None


def _signature(public: Public) -> str:
    if public.kind == "property":
        return "A property."
    try:
        shown = str(inspect.signature(public.object)).replace("specgrad.generated.tensor.", "")
    except (TypeError, ValueError):
        shown = "(...)"
    shown = re.sub(r"\b(?:collections\.abc|typing|specgrad(?:\.\w+)*)\.(?=[A-Z])", "", shown)
    shown = re.sub(r"(: |-> )'([^']*)'", r"\1\2", shown)  # annotations that are text
    shown = shown.removesuffix(" -> None") if public.kind == "class" else shown
    name = public.path if public.kind != "method" else _name(public)
    line = f"{name}{shown.replace('(self, ', '(').replace('(self)', '()')}"
    return f"```text\n{line if len(line) <= MAX_LINE else _broken(line)}\n```"


def _broken(line: str) -> str:
    """A signature with a parameter a line; commas inside brackets stay."""
    head, _, rest = line.partition("(")
    depth, parts = 1, [""]
    for position, char in enumerate(rest):
        depth += (char in "([{") - (char in ")]}")
        if depth == 0:
            return f"{head}(\n" + "".join(f"    {part.strip()},\n" for part in parts) + rest[position:]
        if char == "," and depth == 1:
            parts.append("")
        else:
            parts[-1] += char
    return line


def _name(public: Public) -> str:
    return _last(public.path)


def _last(path: str) -> str:
    return path.rpartition(".")[2]


def _summary(public: Public) -> str:
    """The first paragraph of the docstring, as one line."""
    return escaped(" ".join(public.doc.partition("\n\n")[0].split()))
