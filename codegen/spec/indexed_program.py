"""The key `indexed`: an indexed program in an entry, with the places of its parts in the spec."""

from collections.abc import Collection

from ..language.indexed_programs import IndexedProgram
from ..language.indexed_reader import Reader
from .formula import Report, location
from .model import Schema
from .row_program import NO_PART, NUMBERS, is_output_mask, parsed_program
from .source import SourceString


def read_indexed(
    text: SourceString, schema: Schema, constants: Collection[str], report: Report
) -> IndexedProgram | None:
    """`constants` are the arguments that are read as they are."""
    body = parsed_program(text, "indexed", report)
    if body is None:
        return None
    inputs, numbers = dict[str, str](), dict[str, str]()
    for argument in schema.arguments:
        type_ = argument.type
        if type_.base in NO_PART or is_output_mask(argument):
            continue
        if type_.is_list or type_.optional or not (type_.is_tensor or type_.base in NUMBERS):
            report(text.where(), f"the argument '{argument.name}': expected a tensor or a number")
            return None
        if type_.is_tensor:
            inputs[argument.name] = "constant" if argument.name in constants else "input"
        else:
            numbers[argument.name] = NUMBERS[type_.base]
    reader = Reader(schema.name, inputs, numbers, [output.name for output in schema.returns])
    program = reader.read(body)
    for node, message in reader.faults:
        report(location(text.file, node), message)
    return program
