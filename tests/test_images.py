import hashlib
import io
import struct
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from beam_rs import images
from beam_rs.images import FORMATS, Fault, Limits
from beam_rs.schema import ImageRef


def encoded(picture: Image.Image, kind: str = "PNG", **options) -> bytes:
    data = io.BytesIO()
    picture.save(data, kind, **options)
    return data.getvalue()


def noise(mode: str = "RGB", size: tuple[int, int] = (64, 40)) -> Image.Image:
    values = np.random.default_rng(7).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
    return Image.fromarray(values).convert(mode)


ANY = Limits()


def inspect(data: bytes, limits: Limits = ANY) -> ImageRef | str:
    found = images.inspect(data, "a", limits)
    return found if isinstance(found, ImageRef) else found.code


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def bomb(width: int, height: int) -> bytes:
    """A small PNG whose header promises a huge picture."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    pixels = chunk(b"IDAT", zlib.compress(b"\0" * 10_000))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + pixels + chunk(b"IEND", b"")


@pytest.mark.parametrize("kind", FORMATS)
def test_every_allowed_format_is_described(kind: str):
    data = encoded(noise(), kind)
    found = inspect(data)
    assert isinstance(found, ImageRef)
    assert (found.format, found.width, found.height, found.bytes) == (kind, 64, 40, len(data))
    assert found.sha256 == hashlib.sha256(data).hexdigest()
    assert found.media_type == f"image/{kind.lower()}"


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("share", [0.02, 0.3, 0.9])
def test_a_picture_that_is_cut_is_refused(kind: str, share: float):
    data = encoded(noise(size=(200, 200)), kind)
    assert inspect(data[: max(9, int(len(data) * share))]) == "broken"


@pytest.mark.parametrize("kind", ["PNG", "WEBP", "TIFF", "BMP"])
def test_a_picture_that_lacks_its_last_bytes_is_refused(kind: str):
    data = encoded(noise(), kind)
    assert inspect(data[:-60]) == "broken"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"<html><body>404</body></html>", "not_an_image"),
        (b"x", "not_an_image"),
        (b"%PDF-1.7\n", "not_an_image"),
        (b"\x89PNG\r\n\x1a\n", "broken"),
        (b"\xff\xd8\xff", "broken"),
        (b"GIF89a", "broken"),
        (b"RIFF\x00\x00\x00\x00WEBP", "broken"),
        (b"II*\x00", "broken"),
        (b"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00", "format"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "not_an_image"),
        (bomb(100_000, 100_000), "too_many_pixels"),
        (bomb(2**31 - 1, 2**31 - 1), "too_many_pixels"),
        (bomb(0, 5), "broken"),
        (bomb(5_000, 5_000), "broken"),
        (encoded(noise(), "PPM"), "format"),
        (encoded(noise(), "ICO"), "format"),
        (encoded(noise(), "JPEG2000"), "format"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_what_is_no_picture(data: bytes, code: str):
    assert inspect(data) == code


def test_limits():
    assert inspect(encoded(noise()), Limits(max_pixels=64 * 40 - 1)) == "too_many_pixels"
    assert isinstance(inspect(encoded(noise()), Limits(max_pixels=64 * 40)), ImageRef)
    assert inspect(encoded(noise(), "GIF"), Limits(formats=("PNG",))) == "format"


@pytest.mark.filterwarnings("ignore::UserWarning:PIL")
@settings(max_examples=150, deadline=None)
@given(st.sampled_from(FORMATS), st.data())
def test_a_damaged_picture_never_raises(kind: str, data):
    whole = bytearray(encoded(noise(size=(16, 16)), kind))
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    found = images.inspect(bytes(whole), "a", Limits(max_pixels=1_000_000))
    assert isinstance(found, ImageRef) or found.code in ("broken", "not_an_image", "format", "too_many_pixels")
    if isinstance(found, ImageRef):
        assert images.picture(bytes(whole)).size == (found.width, found.height)


@pytest.mark.filterwarnings("ignore::UserWarning:PIL")
@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_a_fault_or_a_picture(data: bytes):
    assert isinstance(images.inspect(data, "a", Limits()), (Fault, ImageRef))


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "RGBA", "LA", "CMYK", "I;16", "I", "F"])
def test_every_mode_becomes_rgb(mode: str):
    if mode == "I;16":
        made = Image.fromarray(np.arange(600, dtype=np.uint16).reshape(20, 30) * 100)
    else:
        made = noise("L" if mode in ("I", "F") else mode if mode != "LA" else "RGBA", (30, 20)).convert(mode)
    data = encoded(made, "TIFF" if mode in ("F", "CMYK", "I") else "PNG")
    found, shown = inspect(data), images.picture(data)
    assert isinstance(found, ImageRef) and (shown.mode, shown.size) == ("RGB", (30, 20))


def test_sixteen_bits_are_scaled_and_not_clipped():
    data = encoded(Image.fromarray(np.array([[0, 32_768, 65_535]], dtype=np.uint16)))
    assert [pixel[0] for pixel in np.asarray(images.picture(data))[0]] == [0, 127, 255]


def test_transparency_is_laid_over_white():
    made = Image.new("RGBA", (2, 1), (255, 0, 0, 255))
    made.putpixel((1, 0), (0, 0, 0, 0))
    assert np.asarray(images.picture(encoded(made))).tolist() == [[[255, 0, 0], [255, 255, 255]]]
    palette = Image.new("P", (2, 1))
    palette.putpalette([0, 0, 0, 9, 9, 9])
    assert np.asarray(images.picture(encoded(palette, transparency=0))).min() == 255


@pytest.mark.parametrize(("turn", "size"), [(1, (64, 40)), (3, (64, 40)), (6, (40, 64)), (8, (40, 64))])
def test_exif_orientation(turn: int, size: tuple[int, int]):
    exif = Image.Exif()
    exif[0x0112] = turn
    data = encoded(noise(), "JPEG", exif=exif)
    found = inspect(data)
    assert isinstance(found, ImageRef) and (found.width, found.height) == size == images.picture(data).size


@pytest.mark.filterwarnings("ignore:Corrupt EXIF")
def test_damaged_exif_says_nothing_about_the_pixels():
    data = encoded(noise(), "JPEG", exif=b"Exif\x00\x00II*\x00\xff\xff\xff\xff rubbish")
    assert isinstance(inspect(data), ImageRef)


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG", "TIFF"])
def test_animated_files_give_their_first_frame_and_a_note(kind: str):
    red, blue = Image.new("RGB", (9, 5), "red"), Image.new("RGB", (9, 5), "blue")
    data = encoded(red, kind, save_all=True, append_images=[blue], **({"lossless": True} if kind == "WEBP" else {}))
    found = inspect(data)
    assert isinstance(found, ImageRef) and "first frame" in found.note
    assert np.asarray(images.picture(data))[0, 0].tolist()[2] == 0
    still = inspect(encoded(red, kind))
    assert isinstance(still, ImageRef) and still.note == ""


def test_the_pixel_hash_sees_through_a_lossless_copy():
    first, second = inspect(encoded(noise(), "PNG")), inspect(encoded(noise(), "BMP"))
    assert isinstance(first, ImageRef) and isinstance(second, ImageRef)
    assert first.pixel_sha256 == second.pixel_sha256 and first.sha256 != second.sha256


def test_the_engine_gets_a_smaller_picture_only_beyond_its_budget():
    data = encoded(noise(size=(200, 100)))
    assert images.picture(data, 20_000).size == (200, 100)
    scaled = images.picture(data, 5_000)
    assert scaled.width * scaled.height <= 5_000 and scaled.width == 2 * scaled.height
    assert min(images.picture(encoded(noise(size=(300, 1))), 10).size) == 1
