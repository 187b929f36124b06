import signal
from pathlib import Path

import pytest

from beam_rs.engines.base import DRAIN
from beam_rs.errors import BeamRsError, EngineDied, ImageChanged, Interrupted
from beam_rs.ledger import Ledger
from beam_rs.runners import launch
from beam_rs.runners.interrupts import draining


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("Traceback …\nbeam_rs.errors.EngineDied: gone [while running 'Ask']\n", EngineDied, "gone"),
        ("beam_rs.errors.EngineDied: a\nbeam_rs.errors.ImageChanged: b\n", ImageChanged, "b"),
        ("beam_rs.errors.Unheard: a\n", BeamRsError, "a"),
        ("x\nValueError: boom\n\n", BeamRsError, "boom"),
        ("", BeamRsError, "RuntimeError"),
    ],
)
def test_the_error_behind_what_beam_raises(text: str, kind: type[BeamRsError], message: str):
    DRAIN.clear()
    found = launch.explained(RuntimeError(text))
    assert type(found) is kind and message in str(found)


def test_a_stop_is_no_failure():
    DRAIN.clear()
    assert launch.explained(KeyboardInterrupt()).exit_code == 130
    DRAIN.set()
    try:
        assert isinstance(launch.explained(RuntimeError("whatever")), Interrupted)
    finally:
        DRAIN.clear()


def test_the_first_signal_drains_and_the_old_handlers_come_back(tmp_path: Path):
    before = signal.getsignal(signal.SIGTERM)
    DRAIN.clear()
    with draining(Ledger(str(tmp_path))):
        signal.raise_signal(signal.SIGTERM)
        assert DRAIN.is_set()
    DRAIN.clear()
    assert signal.getsignal(signal.SIGTERM) is before
