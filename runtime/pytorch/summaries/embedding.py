"""Points for TensorBoard's projector: files beside the event files, and the list of them that it reads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .pictures import png
from .values import as_array


def write_embedding(
    log_dir: str, mat: Any, metadata: Sequence[Any] | None, label_img: Any, step: int, tag: str, header: Any
) -> None:
    """Write points, their labels and images, and add them to the projector's list."""
    points = as_array(mat)
    if points.ndim != 2:
        raise AssertionError("mat should be 2D, where mat.size(0) is the number of data points")
    name = f"{step:05d}/{tag}"
    folder = Path(log_dir, name)
    folder.mkdir(parents=True, exist_ok=True)
    sizes: tuple[int, ...] = ()
    paths = {"tensor_path": f"{name}/tensors.tsv"}
    np.savetxt(folder / "tensors.tsv", points, delimiter="\t", fmt="%s")
    if metadata is not None:
        if len(metadata) != len(points):
            raise AssertionError("#labels should equal with #data points")
        paths["metadata_path"] = f"{name}/metadata.tsv"
        _write_labels(folder / "metadata.tsv", metadata, header)
    if label_img is not None:
        images = as_array(label_img)
        if len(images) != len(points):
            raise AssertionError("#images should equal with #data points")
        paths["image_path"] = f"{name}/sprite.png"
        sizes = images.shape[3], images.shape[2]
        (folder / "sprite.png").write_bytes(png(_sprite(images)))
    with open(Path(log_dir, "projector_config.pbtxt"), "a", encoding="utf-8") as file:
        file.write(_listed(f"{tag}:{step:05d}", paths, sizes))


def _write_labels(path: Path, metadata: Sequence[Any], header: Sequence[str] | None) -> None:
    rows = metadata if header is None else [header, *metadata]
    lines = [str(row) if header is None else "\t".join(map(str, row)) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _sprite(images: np.ndarray) -> np.ndarray:
    """Images of shape (number, channels, height, width) as one square of them."""
    count, channels, height, width = images.shape
    side = int(np.ceil(np.sqrt(count)))
    canvas = np.zeros((side * side, channels, height, width))
    canvas[:count] = images if images.dtype != np.uint8 else images / 255.0
    rows = canvas.reshape(side, side, channels, height, width).transpose(0, 3, 1, 4, 2)
    return np.clip(rows.reshape(side * height, side * width, channels) * 255.0, 0, 255).astype(np.uint8)


def _listed(name: str, paths: dict[str, str], sizes: tuple[int, ...]) -> str:
    lines = [f'  tensor_name: "{name}"']
    lines += [f'  {kind}: "{path}"' for kind, path in paths.items() if kind != "image_path"]
    if sizes:
        dims = [f"    single_image_dim: {size}" for size in sizes]
        lines += ["  sprite {", f'    image_path: "{paths["image_path"]}"', *dims, "  }"]
    return "\n".join(["embeddings {", *lines, "}", ""])
