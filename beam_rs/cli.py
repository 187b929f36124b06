"""The command line: `beam-rs`, or `python -m beam_rs`."""

import logging
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from beam_rs import __version__, config, summary
from beam_rs.errors import BeamRsError, UsageError

app = typer.Typer(
    name="beam-rs",
    help="Verified training data for vision-language models.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
PASS_ON = {"allow_extra_args": True, "ignore_unknown_options": True}

NOISE = ("This output type hint will be ignored", "This input type hint will be ignored", "apitools not found")
"""What Beam warns of at every start, whoever builds the pipeline."""

ConfigFile = Annotated[Path, typer.Argument(metavar="CONFIG", help="The YAML file that says what to do.")]
Assignments = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="A.B=VALUE", help="Set a key of the configuration; the value is YAML. Repeatable."),
]


@app.command(context_settings=PASS_ON)
def run(
    context: typer.Context,
    file: ConfigFile,
    assignments: Assignments = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Read no more than so many records.")] = None,
    overwrite: Annotated[bool, typer.Option(help="Replace the output of another configuration.")] = False,
) -> None:
    """Turn a pool into verified splits. Further options are Beam's own. Running again resumes."""
    loaded = config.load(file, assignments or [])
    from beam_rs.runners import launch

    finished = launch.run(loaded, limit=limit, overwrite=overwrite, beam_options=context.args)
    summary.show(Console(), finished.manifest, loaded.settings.output)
    if finished.code:
        raise typer.Exit(finished.code)


def _version(value: bool) -> None:
    if value:
        print(f"beam-rs {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say the version.")
    ] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Log what the parts do.")] = False,
) -> None:
    """Verified training data for vision-language models."""
    level = logging.INFO if verbose else logging.WARNING
    logging.basicConfig(level=level, format="%(levelname)s %(name)s: %(message)s")
    if not verbose:
        for handler in logging.getLogger().handlers:
            handler.addFilter(lambda record: not record.getMessage().startswith(NOISE))


def main(arguments: list[str] | None = None) -> Any:
    """Run the command line and exit with the code of DESIGN: 0, 1, 2, 3 or 130."""
    try:
        app(arguments, standalone_mode=True)
    except BeamRsError as error:
        print(f"{'usage' if isinstance(error, UsageError) else 'error'}: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
