"""Packaging. `beam_rs/transforms` and `beam_rs/runners` are links, so that only `beam_rs` is installed."""

import re
from pathlib import Path

from setuptools import find_packages, setup

ROOT = Path(__file__).parent
VERSION = re.search(r'^__version__ = "([^"]+)"', (ROOT / "beam_rs/__init__.py").read_text(), re.MULTILINE)[1]

OCR = ["rapidocr>=3.9.2,<4", "onnxruntime>=1.18,<2"]
VLLM = ["vllm>=0.11,<0.33"]
GCP = ["apache-beam[gcp]>=2.74,<2.78", "google-cloud-storage>=2.18,<4"]
TFDS = ["tensorflow-datasets>=4.9.7,<5"]
DEV = [
    "build>=1.2",
    "datasets>=3.0,<6",
    "duckdb>=1.1,<3",
    "gcp-storage-emulator>=2024.8",
    "hypothesis>=6.100,<7",
    "mypy>=1.13,<3",
    "polars>=1.10,<3",
    "pytest>=8,<10",
    "pytest-cov>=5,<8",
    "pytest-timeout>=2.3,<3",
    "ruff>=0.8,<1",
    "types-PyYAML",
]

setup(
    name="beam-rs",
    version=VERSION,
    description="Verified training data for vision-language models, as an Apache Beam pipeline",
    long_description=(ROOT / "README.md").read_text(),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    python_requires=">=3.10,<3.14",
    packages=find_packages(include=["beam_rs", "beam_rs.*"]),
    package_data={"beam_rs": ["py.typed", "card/templates/*"]},
    install_requires=[
        "antlr4-python3-runtime>=4.13.2,<4.14",  # what math-verify parses LaTeX with; its own extra by name only
        "anyio>=4,<5",
        "apache-beam>=2.74,<2.78",
        "fastavro>=1.9,<2",
        "httpx>=0.27,<1",
        "jinja2>=3.1,<4",
        "lxml>=5,<7",
        "apted>=1.0.3,<2",
        "math-verify>=0.8,<1",
        "numpy>=1.26,<3",
        "pillow>=11.3,<13",
        "pyarrow>=17,<26",
        "pydantic>=2.7,<3",
        "pyyaml>=6,<7",
        "rapidfuzz>=3.9,<4",
        "rich>=13.7,<16",
        "typer>=0.12,<1",
    ],
    extras_require={
        "ocr": OCR,
        "vllm": VLLM,
        "gcp": GCP,
        "tfds": TFDS,
        "dev": [*DEV, *OCR, *GCP],
    },
    entry_points={"console_scripts": ["beam-rs = beam_rs.cli:main"]},
)
