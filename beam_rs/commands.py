"""What the smaller commands of the command line do and print; they return an exit code."""

import json
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table

from beam_rs import files, grade, ledger, naming, recheck
from beam_rs.config import Config
from beam_rs.errors import UsageError

LISTED = 100


def grade_cases(path: Path, out: Path | None) -> int:
    """Grade a file of cases; 1 where a line with `expected` came out otherwise."""
    if not path.is_file():
        raise UsageError(f"no such file: {path}")
    if out is None:
        summary = grade.grade_file(path, sys.stdout)
    else:
        with out.open("w", encoding="utf-8") as target:
            summary = grade.grade_file(path, target)
    line = f"{summary.total:,} lines, {summary.errors:,} unreadable"
    if summary.compared:
        line += f"; {summary.agreed:,} of {summary.compared:,} as expected"
    if summary.differing:
        line += f"; not: {', '.join(summary.differing[:LISTED])}"
    print(line, file=sys.stderr)
    return 0 if summary.holds else 1


def recheck_output(place: str) -> int:
    """Recompute every verdict of a data set; 1 where there is a difference."""
    verdicts = differences = 0
    paths = recheck.shards(place)
    for path in paths:
        for found in recheck.recheck(path):
            if isinstance(found, int):
                verdicts += found
                continue
            differences += 1
            print(json.dumps(vars(found), ensure_ascii=False, default=str))
    print(f"{verdicts:,} verdicts of {len(paths):,} shards recomputed, {differences:,} differences", file=sys.stderr)
    return 1 if differences else 0


def inspect_ledger(place: str, wanted: str | None) -> int:
    """Sum a ledger up, or print the records of one key or item."""
    folder = files.join(place, naming.LEDGER)
    folder = folder if files.is_remote(place) or Path(folder).is_dir() else place
    if not files.is_remote(folder) and not Path(folder).is_dir():
        raise UsageError(f"no ledger at {place}; give the output folder of a run, or its {naming.LEDGER}")
    if wanted is None:
        print(ledger.render(ledger.inspect(folder)))
        return 0
    found = 0
    for record in ledger.find(folder, wanted):
        found += 1
        print(json.dumps(record, ensure_ascii=False))
    print(f"{found:,} records", file=sys.stderr)
    return 0 if found else 1


def dry_run(file: Path, assignments: list[str], limit: int | None, beam_options: list[str]) -> int:
    """What reading and cleaning make of a pool; nothing is asked, and all of it happens in a folder thrown away."""
    from beam_rs import config, summary
    from beam_rs.runners import launch

    with tempfile.TemporaryDirectory(prefix="beam-rs-dry-") as folder:
        instead = [f"output={folder}", "engine={name: scripted}", "judge={enabled: false}"]
        loaded = config.load(file, [*assignments, *instead])
        finished = launch.run(loaded, limit=limit, beam_options=beam_options)
        Console().print(summary.counts(finished.manifest))
        print("dry run: no model was asked (what would be asked stands under rejected), nothing was written")
        return finished.code


def plan_run(config: Config, sample: int, beam_options: list[str]) -> int:
    """Forecast a run from a pilot."""
    from beam_rs import forecast
    from beam_rs.runners import plan

    table = Table(box=None, show_header=False)
    cost = config.settings.cost
    for name, text in forecast.lines(plan.plan(config, sample, beam_options), cost):
        table.add_row(name, text)
    Console().print(table)
    return 0


def diagnose(config: Config | None) -> int:
    """Look at this machine, and where a configuration is given, at what it asks for; 1 where something is broken."""
    from beam_rs import doctor, job

    console = Console()
    engine, places, extras = None, [], []
    if config is not None:
        built = job.build(config)
        engine, places = built.engine, [built.output]
        extras = [built.engine.name] if built.engine.name in ("ocr", "vllm") else []
        extras += ["gcp"] if built.output.startswith("gs://") else []
    worst = 0
    colours = {"ok": "green", "warn": "yellow", "fail": "red"}
    for check in doctor.diagnose(engine, places, extras):
        console.print(f"[{colours[check.level]}]{check.level:5}[/] {check.name}: ", end="", highlight=False)
        console.print(check.found, markup=False, highlight=False)
        if check.advice:
            console.print(f"      → {check.advice}", markup=False, highlight=False)
        worst = max(worst, int(check.level == "fail"))
    return worst
