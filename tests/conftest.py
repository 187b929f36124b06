"""Fixtures for all tests."""

import os
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def root() -> Path:
    """The top folder of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of handed data and cases beside the repository."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("the folder ../shared with the handed data and cases is absent")
    return folder


@pytest.fixture(scope="session")
def prism() -> str:
    """Path of the Prism runner's binary."""
    found = os.environ.get("BEAM_RS_PRISM") or shutil.which("prism")
    if not found:
        pytest.skip("no prism binary on PATH or in BEAM_RS_PRISM")
    return found
