"""Drawing of the sample pool's pictures: one font that ships with Pillow, in many guises.

Everything comes from the index of a picture, so that the same sample is drawn each time. Other versions of Pillow may
give other bytes, never another word.
"""

import io
import random
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from PIL import Image, ImageDraw, ImageFilter, ImageFont

Colour: TypeAlias = tuple[int, int, int]

INKS: Final[tuple[Colour, ...]] = (
    (20, 20, 20),
    (150, 20, 30),
    (10, 60, 140),
    (20, 90, 40),
    (90, 30, 110),
    (70, 50, 20),
)
PAPERS: Final[tuple[Colour, ...]] = (
    (255, 255, 255),
    (250, 240, 210),
    (215, 230, 245),
    (225, 240, 220),
    (240, 220, 225),
)
FORMATS: Final = ("PNG", "JPEG", "PNG", "WEBP", "PNG", "BMP", "JPEG", "GIF", "TIFF")


def plain(word: str) -> Image.Image:
    """Black on white, 140 x 48: plain enough for a tiny model to learn."""
    image = Image.new("RGB", (140, 48), "white")
    ImageDraw.Draw(image).text((6, 6), word, fill="black", font=ImageFont.load_default(size=28))
    return image


def styled(word: str, index: int) -> Image.Image:
    """A word in a size, colours and a guise of its own, all from the index."""
    rng = random.Random(f"{word}:{index}")
    ink, paper = INKS[index % len(INKS)], PAPERS[index % len(PAPERS)]
    if index % 7 == 3:
        ink, paper = paper, ink
    image = _lettering(word, rng.randint(26, 44), ink, paper, bold=index % 3 == 1)
    return GUISES[index % len(GUISES)](image, paper, rng)


def _lettering(word: str, size: int, ink: Colour, paper: Colour, bold: bool) -> Image.Image:
    font = ImageFont.load_default(size=size)
    stroke = max(1, size // 24) if bold else 0
    left, top, right, bottom = ImageDraw.Draw(Image.new("RGB", (1, 1))).textbbox(
        (0, 0), word, font, stroke_width=stroke
    )
    margin = size // 3
    image = Image.new("RGB", (int(right - left) + 2 * margin, int(bottom - top) + 2 * margin), paper)
    place = margin - left, margin - top
    ImageDraw.Draw(image).text(place, word, ink, font, stroke_width=stroke, stroke_fill=ink)
    return image


def _as_drawn(image: Image.Image, paper: Colour, rng: random.Random) -> Image.Image:
    return image


def _turned(image: Image.Image, paper: Colour, rng: random.Random) -> Image.Image:
    return image.rotate(rng.choice((-3, -2, 2, 3)), Image.Resampling.BICUBIC, expand=True, fillcolor=paper)


def _slanted(image: Image.Image, paper: Colour, rng: random.Random) -> Image.Image:
    slope = rng.uniform(0.12, 0.25)
    wider = image.width + int(slope * image.height)
    shear = (1, slope, -slope * image.height, 0, 1, 0)
    return image.transform(
        (wider, image.height), Image.Transform.AFFINE, shear, Image.Resampling.BICUBIC, fillcolor=paper
    )


def _blurred(image: Image.Image, paper: Colour, rng: random.Random) -> Image.Image:
    return image.filter(ImageFilter.GaussianBlur(rng.uniform(0.6, 1.2)))


def _noisy(image: Image.Image, paper: Colour, rng: random.Random) -> Image.Image:
    noise = Image.frombytes("RGB", image.size, rng.randbytes(3 * image.width * image.height))
    return Image.blend(image, noise, 0.2)


def _stretched(image: Image.Image, paper: Colour, rng: random.Random) -> Image.Image:
    return image.resize((int(image.width * rng.uniform(1.15, 1.5)), image.height), Image.Resampling.BICUBIC)


def _narrow(image: Image.Image, paper: Colour, rng: random.Random) -> Image.Image:
    return image.resize((int(image.width * rng.uniform(0.7, 0.85)), image.height), Image.Resampling.BICUBIC)


def _coarse(image: Image.Image, paper: Colour, rng: random.Random) -> Image.Image:
    small = image.resize((max(1, image.width * 3 // 5), max(1, image.height * 3 // 5)), Image.Resampling.BOX)
    return small.resize(image.size, Image.Resampling.NEAREST)


def _framed(image: Image.Image, paper: Colour, rng: random.Random) -> Image.Image:
    draw: Any = ImageDraw.Draw(image)
    draw.rectangle((2, 2, image.width - 3, image.height - 3), outline=rng.choice(INKS), width=2)
    return image


def _pale(image: Image.Image, paper: Colour, rng: random.Random) -> Image.Image:
    return Image.blend(image, Image.new("RGB", image.size, paper), rng.uniform(0.3, 0.5))


GUISES: Final[tuple[Callable[[Image.Image, Colour, random.Random], Image.Image], ...]] = (
    _as_drawn,
    _turned,
    _slanted,
    _blurred,
    _noisy,
    _stretched,
    _narrow,
    _coarse,
    _framed,
    _pale,
)


def encoded(image: Image.Image, image_format: str) -> bytes:
    """The bytes of a picture file; JPEG and WebP at quality 90."""
    quality = {"quality": 90} if image_format in ("JPEG", "WEBP") else {}
    file = io.BytesIO()
    image.save(file, image_format, **quality)
    return file.getvalue()


def broken_files() -> dict[str, bytes]:
    """Files that are no sound pictures, by name; each stands for one reason code of `undecodable`."""
    whole = encoded(plain("broken"), "PNG")
    return {
        "empty.png": b"",
        "page.png": b"<!DOCTYPE html>\n<html><head><title>404 Not Found</title></head></html>\n",
        "cut.png": whole[: len(whole) // 2],
        "old.png": encoded(plain("old"), "PPM"),
        "huge.png": encoded(Image.new("1", (12_000, 10_000)), "PNG"),
    }
