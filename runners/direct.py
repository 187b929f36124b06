"""On this machine: Beam's in-process runner, or Prism."""

from typing import Any, Final

from apache_beam.options.pipeline_options import DirectOptions, PipelineOptions

from beam_rs.errors import UsageError

HERE: Final = ("direct", "prism")
"""Runners that do the work on this machine."""

BEAM_NAMES: Final = {"prism": "PrismRunner", "flink": "FlinkRunner", "dataflow": "DataflowRunner"}


def runner(name: str) -> Any:
    """Beam's runner of a name. `direct` names the in-process one, which Beam's own `DirectRunner` only may choose.

    Raises:
      UsageError: no such runner.
    """
    if name == "direct":
        from apache_beam.runners.portability.fn_api_runner import FnApiRunner

        return FnApiRunner()
    if name not in BEAM_NAMES:
        raise UsageError(f"unknown runner {name!r}; known: direct, {', '.join(sorted(BEAM_NAMES))}")
    return BEAM_NAMES[name]


def is_in_process(name: str, options: PipelineOptions) -> bool:
    """Whether the work is done in this very process, so that its totals are seen live."""
    return name == "direct" and options.view_as(DirectOptions).direct_running_mode in ("in_memory", "multi_threading")


def has_workers(name: str, options: PipelineOptions) -> bool:
    """Whether the runner starts worker processes of its own on this machine."""
    return name == "direct" and options.view_as(DirectOptions).direct_running_mode == "multi_processing"
