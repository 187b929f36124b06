"""What a person sees of a run: a live table on a terminal, plain lines elsewhere, and figures that add up."""

import fcntl
import os
import pty
import re
import struct
import sys
import termios
from pathlib import Path

import pytest
from serving import WINDOW, kept, log, make_pool, manifest, run, served

pytestmark = pytest.mark.slow
SIZE = 120


def on_a_terminal(config: Path, interrupt_after: int = 0) -> tuple[int, str]:
    """Run on a pseudo-terminal, Ctrl-C after so many records; the exit code and the text without control codes."""
    child, terminal = pty.fork()
    if child == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        os.environ.update(TERM="xterm", COLUMNS="80")
        os.execv(sys.executable, [sys.executable, "-m", "beam_rs", "run", str(config)])
    data = b""
    while True:
        try:
            some = os.read(terminal, 1 << 16)
        except OSError:  # the other side is closed
            break
        if not some:
            break
        data += some
        if interrupt_after and len(kept(config.parent / "out")) >= interrupt_after:
            os.write(terminal, b"\x03")
            interrupt_after = 0
    os.close(terminal)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return code, re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", data.decode()).replace("\r", "\n")


ROW = re.compile(
    r" *(read|answered|from ledger|accepted|rejected) +(\S+) +(failed|answers/s|tokens/s|in flight|left) +(\S+) *"
)


def frames(text: str) -> list[dict[str, str]]:
    """The table each time that it was drawn."""
    found: list[dict[str, str]] = []
    for name, value, other, amount in (row.groups() for row in map(ROW.fullmatch, text.split("\n")) if row):
        if name == "read":
            found.append({})
        found[-1] |= {name: value, other: amount}
    return found


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_the_live_table(tmp_path: Path) -> None:
    with served(tmp_path, "--median", "0.2", "--slots", str(WINDOW)) as server:
        config = make_pool(tmp_path / "pool", SIZE, server.url)
        code, text = on_a_terminal(config)
    assert code == 0, text
    drawn = frames(text)
    assert drawn, text
    assert f"{WINDOW}/{WINDOW}" in {row["in flight"] for row in drawn}
    assert len(drawn[-1]) == 10 and "…" not in text
    answered = [int(row["answered"].split("/")[0]) for row in drawn]
    assert answered == sorted(answered) and any(0 < number < SIZE for number in answered)
    midway = next(row for row in drawn if 0 < int(row["answered"].split("/")[0]) < SIZE)
    assert float(midway["tokens/s"].replace(",", "")) > 0 and re.fullmatch(r"\d\d:\d\d:\d\d", midway["left"])
    counts = manifest(config.parent / "out")["counts"]["total"]
    summary = dict(re.findall(r"^(read|accepted|rejected|failed) +([\d,]+) *$", text, re.MULTILINE))
    assert summary == {name: str(counts[name]) for name in ("read", "accepted", "rejected", "failed")}


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_the_table_says_that_it_is_stopping(tmp_path: Path) -> None:
    with served(tmp_path, "--median", "0.5", "--slots", str(WINDOW)) as server:
        config = make_pool(tmp_path / "pool", SIZE, server.url)
        code, text = on_a_terminal(config, interrupt_after=20)
        assert code == 130, text
        assert kept(config.parent / "out") == set(server.seeds())
    assert text.count("once more ends at once") > 1, "logged once, and redrawn with the table"
    assert "run the same command again to go on" in text.strip().splitlines()[-1]


def test_plain_lines_where_there_is_no_terminal(tmp_path: Path) -> None:
    with served(tmp_path, "--median", "1", "--sigma", "0.1", "--slots", str(WINDOW)) as server:
        config = make_pool(tmp_path / "pool", SIZE + 80, server.url)
        assert run(config, "--set", "judge.enabled=false") == 0
    lines = [line for line in log(config).splitlines() if re.match(r"\d\d:\d\d:\d\d read ", line)]
    assert lines and all(re.search(r"answered \d+/\d+ .* in flight .* left ", line) for line in lines)
    assert "\x1b" not in log(config)
