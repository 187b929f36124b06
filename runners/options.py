"""Beam's own options: from the configuration, then from the command line, checked before anything runs."""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from apache_beam.io.filesystems import FileSystems
from apache_beam.options.pipeline_options import GoogleCloudOptions, PipelineOptions

from beam_rs.errors import UsageError
from beam_rs.registry import nearest


def flags(options: Mapping[str, Any], more: Sequence[str]) -> list[str]:
    """Beam's flags from a mapping, with those of the command line behind them.

    >>> flags({"direct_num_workers": 2, "no_auth": True, "experiments": ["a", "b"]}, ["--streaming"])
    ['--direct_num_workers=2', '--no_auth', '--experiments=a', '--experiments=b', '--streaming']
    """
    made = []
    for name, value in options.items():
        for one in value if isinstance(value, list) else [value]:
            if one is True:
                made.append(f"--{name}")
            elif one is not False and one is not None:
                made.append(f"--{name}={one}")
    return [*made, *more]


def parse(arguments: Sequence[str]) -> PipelineOptions:
    """Checked options, which file systems see from now on; Beam itself would pass over a misspelt one without a word.

    Raises:
      UsageError: an option that neither beam_rs nor Beam knows.
    """
    parser = argparse.ArgumentParser(allow_abbrev=False, exit_on_error=False, add_help=False)
    every: list[Any] = [PipelineOptions, *_subclasses(PipelineOptions)]
    for options in every:
        options._add_argparse_args(parser)
    try:
        _, unknown = parser.parse_known_args(list(arguments))
    except (argparse.ArgumentError, SystemExit) as error:
        raise UsageError(f"Beam options: {error}") from error
    names = [text for action in parser._actions for text in action.option_strings]
    for text in unknown:
        raise UsageError(f"unknown option {text!r}{nearest(text.split('=')[0], names)}")
    parsed = PipelineOptions(list(arguments))
    FileSystems.set_options(parsed)
    if parsed.view_as(GoogleCloudOptions).no_auth:
        _go_without_credentials()
    return parsed


def _go_without_credentials() -> None:
    """Beam's storage client looks for credentials in spite of `--no_auth`, half a minute long where there are none."""
    try:
        from apache_beam.internal.gcp.auth import _Credentials
    except ImportError:  # without the extra gcp there is no such client
        return
    _Credentials._credentials_init = True


def _subclasses(cls: type[Any]) -> list[type[Any]]:
    found = []
    for sub in cls.__subclasses__():
        if sub.__module__.startswith("apache_beam.") and "_add_argparse_args" in vars(sub):
            found.append(sub)
    return found
