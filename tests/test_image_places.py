"""Where pictures may lie: no text in `image` leaves the root or stops a run."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from beam_rs import images
from beam_rs.errors import ImageChanged
from beam_rs.images import Fault, Limits, Place
from beam_rs.schema import ImageRef


def drawn(path: Path, kind: str = "PNG") -> None:
    Image.new("RGB", (64, 40), "red").save(path, kind)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    root = tmp_path / "images"
    (root / "sub").mkdir(parents=True)
    drawn(root / "a.png")
    drawn(root / "sub" / "ü b.png")
    (root / "empty.png").touch()
    (root / "big.png").write_bytes(b"\0" * 100_000)
    (root / "unreadable").symlink_to("unreadable")
    drawn(tmp_path / "secret.png")
    (tmp_path / "images-more").mkdir()
    drawn(tmp_path / "images-more" / "a.png")
    (root / "out.png").symlink_to(tmp_path / "secret.png")
    (root / "up").symlink_to(tmp_path)
    (root / "in.png").symlink_to(root / "a.png")
    os.mkfifo(root / "pipe.png")
    return Place(str(root))


@pytest.mark.parametrize("text", ["a.png", "./a.png", "sub/../a.png", "in.png", "sub/ü b.png", "sub//ü b.png"])
def test_pictures_under_the_root(place: Place, text: str):
    assert isinstance(images.resolve(text, place, Limits()), ImageRef)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("../secret.png", "refused"),
        ("sub/../../secret.png", "refused"),
        ("../images-more/a.png", "refused"),
        ("out.png", "refused"),
        ("up/secret.png", "refused"),
        ("/etc/passwd", "refused"),
        ("file:///etc/passwd", "refused"),
        ("gs://bucket/a.png", "refused"),
        ("http://127.0.0.1:9/a.png", "refused"),
        ("data:image/png;base64,AAAA", "missing"),
        ("none.png", "missing"),
        ("a.png/more", "missing"),
        ("a.png\x00.png", "missing"),
        ("\x00", "missing"),
        ("\ud800.png", "missing"),
        ("x" * 300, "missing"),
        ("x/" * 5_000, "missing"),
        ("x" * 1_000_000, "missing"),
        ("", "missing"),
        (".", "missing"),
        ("/", "refused"),
        ("..", "refused"),
        ("sub", "missing"),
        ("sub/", "missing"),
        ("pipe.png", "missing"),
        ("unreadable", "missing"),
        ("~", "missing"),
        ("*.png", "missing"),
        ("C:\\a.png", "missing"),
        ("a.png\n", "missing"),
        ("empty.png", "empty"),
        ("big.png", "too_many_bytes"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_any_text_is_a_picture_or_a_fault(place: Place, text: str, code: str):
    found = images.resolve(text, place, Limits(max_bytes=50_000))
    assert isinstance(found, Fault) and found.code == code and len(found.detail) < 1_000


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=40) | st.sampled_from(["", "/", "../", "gs://", "file://"]).flatmap(lambda s: st.just(s * 3)))
def test_no_text_raises(text: str):
    assert isinstance(images.resolve(text, Place("/nonexistent"), Limits()), Fault)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.png", "gs://b/i/a.png"),
        ("gs://b/i/a.png", "gs://b/i/a.png"),
        ("gs://other/x/a.png", "gs://other/x/a.png"),
        ("gs://b/i/../secret", "refused"),
        ("gs://b/i-more/a.png", "refused"),
        ("../a.png", "refused"),
        ("/a.png", "refused"),
        ("s3://b/i/a.png", "refused"),
    ],
)
def test_a_root_that_is_a_uri(text: str, expected: str):
    found = Place("gs://b/i/", ("gs://other/x",)).locate(text)
    assert (found.code if isinstance(found, Fault) else found) == expected


def test_a_further_folder_may_be_allowed(place: Place, tmp_path: Path):
    wider = Place(place.root, (str(tmp_path / "images-more"),))
    assert isinstance(images.resolve(str(tmp_path / "images-more" / "a.png"), wider, Limits()), ImageRef)
    assert isinstance(images.resolve("../images-more/a.png", wider, Limits()), ImageRef)
    assert isinstance(wider.locate(str(tmp_path / "secret.png")), Fault)


def test_a_picture_that_changed_since_it_was_checked(place: Place):
    ref = images.resolve("a.png", place, Limits())
    assert isinstance(ref, ImageRef) and len(images.read_checked(ref)) == ref.bytes
    drawn(Path(place.root, "a.png"), "BMP")
    with pytest.raises(ImageChanged, match="changed"):
        images.read_checked(ref)
    Path(place.root, "a.png").unlink()
    with pytest.raises(ImageChanged, match="cannot be read again"):
        images.read_checked(ref)
