"""A file that is cut is refused, wherever it is cut and however many pictures it holds."""

import io

import numpy as np
import pytest
from PIL import Image

from beam_rs import images
from beam_rs.images import Fault, Limits


def noise(seed: int) -> Image.Image:
    values = np.random.default_rng(seed).integers(0, 256, (20, 28, 3), dtype=np.uint8)
    return Image.fromarray(values)


def encoded(kind: str, mode: str = "RGB", pictures: int = 1, **options) -> bytes:
    first, *others = (noise(seed).convert(mode) for seed in range(pictures))
    several = {"save_all": True, "append_images": others} if others else {}
    data = io.BytesIO()
    first.save(data, kind, **several, **options)
    return data.getvalue()


def code(data: bytes) -> str:
    found = images.inspect(data, "a", Limits())
    return found.code if isinstance(found, Fault) else "whole"


FILES = {
    "png": encoded("PNG"),
    "animated png": encoded("PNG", pictures=3),
    "jpeg": encoded("JPEG"),
    "progressive jpeg": encoded("JPEG", progressive=True),
    "jpeg with a comment": encoded("JPEG", comment=b"\xff\xd9 is no end here"),
    "gif": encoded("GIF", "P"),
    "animated gif": encoded("GIF", "P", pictures=3),
    "tiff": encoded("TIFF"),
    "packed tiff": encoded("TIFF", compression="tiff_lzw"),
    "webp": encoded("WEBP"),
    "animated webp": encoded("WEBP", pictures=3),
    "bmp": encoded("BMP"),
}


@pytest.mark.parametrize("data", FILES.values(), ids=FILES)
def test_a_cut_anywhere(data: bytes):
    assert code(data) == "whole"
    step = max(1, len(data) // 40)
    for length in [*range(32, len(data) - 30, step), *range(len(data) - 30, len(data))]:
        assert code(data[:length]) == "broken", f"{length} of {len(data)} bytes"


def test_a_cut_in_the_second_page():
    data = encoded("TIFF", pictures=2)
    assert code(data) == "whole"
    assert {code(data[:length]) for length in range(32, len(data) - 4, 29)} == {"broken"}


@pytest.mark.parametrize("kind", ["png", "animated png", "jpeg", "gif", "animated gif", "tiff"])
def test_what_stands_behind_the_end_is_no_fault(kind: str):
    assert code(FILES[kind] + b"\x00\xff\xda trailing bytes") == "whole"


def test_a_phones_file_counts_by_its_first_picture():
    data = encoded("MPO", pictures=2)
    first = data.index(b"\xff\xd9") + 2
    assert code(data) == code(data[: first + 40]) == "whole"
    assert code(data[: first - 3]) == "broken"
