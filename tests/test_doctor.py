from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from beam_rs.doctor import Needed, _judge_version, check_engine, diagnose
from beam_rs.doctor_host import Check, check_place
from beam_rs.engines.base import failed
from beam_rs.errors import EngineUnreachable
from beam_rs.schema import Completion, Request


class Oracle:
    """An engine that says one thing, or refuses to start or to answer."""

    model = "oracle"

    def __init__(self, says: str = "Blue.", error: str = "", detail: str = "", starts: bool = True) -> None:
        self.says, self.error, self.detail, self.starts, self.closed = says, error, detail, starts, False

    def start(self) -> None:
        if not self.starts:
            raise EngineUnreachable("nothing answers at http://localhost:1")

    def generate(self, requests: Sequence[Request], on_done: Callable[[Completion], None], /) -> None:
        for request in requests:
            answer = Completion(request.key, text=self.says, answer=self.says)
            on_done(failed(request, self.error, self.detail) if self.error else answer)

    def close(self) -> None:
        self.closed = True


@pytest.mark.parametrize(
    ("engine", "level", "found"),
    [
        (Oracle(), "ok", "it said 'Blue.'"),
        (Oracle(error="bad_response", detail="it reads pictures only"), "ok", "ready"),
        (Oracle(error="timeout", detail="60 s"), "fail", "timeout: 60 s"),
        (Oracle(starts=False), "fail", "nothing answers"),
    ],
)
def test_engine(engine: Oracle, level: str, found: str) -> None:
    check = check_engine(engine)
    assert (check.level, found in check.found, engine.closed) == (level, True, True)
    assert check.level == "ok" or check.advice


@pytest.mark.parametrize(
    ("version", "level"), [("2.77.0", "ok"), ("2.74", "ok"), ("2.73.9", "warn"), ("2.78.0rc1", "warn"), ("x", "warn")]
)
def test_version(version: str, level: str) -> None:
    assert _judge_version(Needed("apache-beam", (2, 74), (2, 78)), version).level == level


def test_places(tmp_path: Path) -> None:
    assert check_place(str(tmp_path / "new" / "deep")).level in ("ok", "warn")
    assert list(tmp_path.iterdir()) == []
    for place in ("/proc/nowhere", "nosuch://bucket/x", "/dev/null/x"):
        check = check_place(place)
        assert check.level == "fail" and check.advice


def test_all_checks_have_findings(tmp_path: Path) -> None:
    checks = list(diagnose(Oracle(), [str(tmp_path)], ["nothing"]))
    assert all(isinstance(check, Check) and check.found for check in checks)
    assert all(check.advice for check in checks if check.level != "ok")
    assert {"python", "apache-beam", "vllm builds", "gpu", "memory"} <= {check.name for check in checks}
