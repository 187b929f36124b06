"""Engines: what answers requests. One file each; a new one is a line in the table."""

from typing import Final

from beam_rs.engines.base import Engine

ENGINES: Final[dict[str, str]] = {
    "ocr": "beam_rs.engines.ocr:OcrEngine",
    "openai": "beam_rs.engines.openai:OpenAiEngine",
    "scripted": "beam_rs.engines.scripted:ScriptedEngine",
    "vllm": "beam_rs.engines.vllm:VllmEngine",
}

__all__ = ["ENGINES", "Engine"]
