"""The command line: `beam-rs`, or `python -m beam_rs`."""

import logging
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from beam_rs import __version__, commands, config, sample_pool, summary
from beam_rs.errors import BeamRsError, UsageError

app = typer.Typer(
    name="beam-rs",
    help="Verified training data for vision-language models.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
PASS_ON = {"allow_extra_args": True, "ignore_unknown_options": True}

NOISE = (
    "This output type hint will be ignored",
    "This input type hint will be ignored",
    "apitools not found",
    "Resource module is not available",
)
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
    dry_run: Annotated[bool, typer.Option(help="Read and clean only: no model is asked, nothing is kept.")] = False,
) -> None:
    """Turn a pool into verified splits. Further options are Beam's own. Running again resumes."""
    if dry_run:
        _end(commands.dry_run(file, assignments or [], limit, context.args))
        return
    loaded = config.load(file, assignments or [])
    from beam_rs.runners import launch

    finished = launch.run(loaded, limit=limit, overwrite=overwrite, beam_options=context.args)
    summary.show(Console(), finished.manifest, loaded.settings.output)
    _end(finished.code)


@app.command()
def sample(folder: Annotated[Path, typer.Argument(help="Where to write it.")]) -> None:
    """Write a small pool of rendered words, with the mess that real pools have, and its configuration."""
    print(f"beam-rs run {sample_pool.write(folder)}")


@app.command(context_settings=PASS_ON)
def plan(
    context: typer.Context,
    file: ConfigFile,
    assignments: Assignments = None,
    sample: Annotated[int, typer.Option(min=1, help="Items of the pilot.")] = 64,
) -> None:
    """Forecast items, requests, tokens, GPU hours and cost from a small pilot; its answers stay in the ledger."""
    _end(commands.plan_run(config.load(file, assignments or []), sample, context.args))


@app.command()
def grade(
    cases: Annotated[Path, typer.Argument(metavar="CASES.jsonl", help="One case a line.")],
    out: Annotated[Path | None, typer.Option(help="Write the graded lines here instead of to the terminal.")] = None,
) -> None:
    """Show what verifiers, cleaning and the reply parser make of your own cases."""
    _end(commands.grade_cases(cases, out))


@app.command()
def recheck(
    output: Annotated[str, typer.Argument(metavar="OUT", help="A data set, a part of it, or one shard.")],
) -> None:
    """Compute every verdict again from the shards alone, and list what differs."""
    _end(commands.recheck_output(output))


@app.command()
def doctor(
    file: Annotated[Path | None, typer.Argument(metavar="CONFIG", help="Also look at what this asks for.")] = None,
    assignments: Assignments = None,
) -> None:
    """Find out whether this machine can run it, and what to do where it cannot."""
    _end(commands.diagnose(config.load(file, assignments or []) if file else None))


ledger_app = typer.Typer(help="Look at the answers that are kept.", no_args_is_help=True)
app.add_typer(ledger_app, name="ledger")


@ledger_app.command()
def inspect(
    output: Annotated[str, typer.Argument(metavar="OUT", help="The output of a run, or its ledger folder.")],
    wanted: Annotated[str | None, typer.Option("--find", help="Print the records of a request key or item.")] = None,
) -> None:
    """Sum a ledger up: files, requests, errors, tokens, damage."""
    _end(commands.inspect_ledger(output, wanted))


def _end(code: int) -> None:
    if code:
        raise typer.Exit(code)


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
