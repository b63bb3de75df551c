"""What an SVG says."""

import xml.etree.ElementTree as ET


def sources(svg: str) -> list[str]:
    """The texts of an SVG, parsed as XML."""
    root = ET.fromstring(svg)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    return [element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text")]
