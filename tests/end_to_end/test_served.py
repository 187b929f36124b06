"""A served model: what is asked, what is never asked again, and what becomes of a server's faults."""

import json
import re
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from PIL import Image
from serving import Server, begin, contents, ids, log, make_pool, manifest, records, served

from beam_rs import keys
from beam_rs.engines.openai import OpenAiEngine
from beam_rs.ledger import Ledger
from beam_rs.schema import Message, Sampling
from beam_rs.transforms.generate import Run, VisionModelHandler

pytestmark = pytest.mark.slow
SIZE = 20


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with served(tmp_path) as running:
        yield running


def by_kind(out: Path, seeds: list[int]) -> Counter[str]:
    """How many requests of each kind were sent, by what the ledger says of their seeds."""
    kinds = {record["seed"]: record["kind"] for record in records(out)}
    return Counter(kinds[seed] for seed in seeds)


@pytest.mark.parametrize(
    "changed",
    [
        "engine.model=another",
        "engine.revision=v2",
        "sampling.temperature=0.5",
        "families.Signs.instruction=Answer in short.",
        "families.Signs.system=You are terse.",
        "engine.pixels=32",
        "image",
    ],
)
def test_a_change_never_meets_an_old_answer(server, tmp_path, call, changed):
    config = make_pool(tmp_path / "pool", SIZE, server.url)
    out = config.parent / "out"
    assert call("run", config, "--set", "judge.enabled=false").code == 0
    had, mark = set(server.seeds()), server.mark()
    arguments = ["--set", changed] if "=" in changed else []
    if not arguments:
        for path in (config.parent / "images").iterdir():
            Image.new("RGB", (9, 9), Image.open(path).getpixel((0, 0))).save(path)
        arguments = ["--set", "cleaning.provenance=false"]
    ended = call("run", config, "--set", "judge.enabled=false", "--overwrite", *arguments)
    assert ended.code == 0, ended.err
    asked = server.seeds(since=mark)
    assert len(asked) == len(set(asked)) == SIZE and not had & set(asked)
    assert len(ids(out)) == SIZE


def test_a_changed_verifier_or_judge_generates_nothing(server, tmp_path, call):
    config = make_pool(tmp_path / "pool", SIZE, server.url)
    out = config.parent / "out"
    assert call("run", config).code == 0
    usage = manifest(out)["usage"]["total"]
    sent = by_kind(out, server.seeds())
    assert (usage["requests"], usage["judge_requests"]) == (sent["generate"], sent["judge"]) and sent["judge"]
    assert usage["request_seconds"] > 0 and usage["judge_request_seconds"] > 0
    for changed in ("families.Signs.verifier=exact", "judge.swap=true", "judge.enabled=false"):
        mark = server.mark()
        ended = call("run", config, "--set", changed, "--overwrite")
        assert ended.code == 0, ended.err
        assert by_kind(out, server.seeds(since=mark))["generate"] == 0
        assert manifest(out)["counts"]["total"]["read"] == SIZE
    assert by_kind(out, server.seeds()) == Counter(r["kind"] for r in records(out)), "and nothing twice"


def test_more_samples_ask_for_the_difference(server, tmp_path, call):
    config = make_pool(tmp_path / "pool", SIZE, server.url)
    common = ["--set", "sampling.temperature=1", "--set", "judge.enabled=false", "--overwrite"]
    assert call("run", config, "--set", "sampling.samples=4", *common).code == 0
    assert len(server.seeds()) == 4 * SIZE
    mark = server.mark()
    assert call("run", config, "--set", "sampling.samples=8", *common).code == 0
    found = Counter(record["item_id"] for record in records(config.parent / "out"))
    assert set(found.values()) == {8}
    assert len(server.seeds(since=mark)) == 4 * SIZE
    assert max(Counter(server.seeds()).values()) == 1


def test_errors_are_asked_again_but_for_prompts_that_are_too_long(server, tmp_path, call):
    marks = {3: " [500x1]", 4: " [429x1]", 5: " [long]", 6: " [html]"}
    config = make_pool(tmp_path / "pool", SIZE, server.url, lambda n: f"word {n}{marks.get(n, '')}", retries=0)
    out = config.parent / "out"
    assert call("run", config, "--set", "judge.enabled=false").code == 3
    assert manifest(out)["counts"]["total"]["failed"] == 4
    mark = server.mark()
    assert call("run", config, "--set", "judge.enabled=false").code == 3
    assert len(server.seeds(since=mark)) == 3, "the two that failed once, and the page of HTML"
    assert manifest(out)["reasons"]["total"].items() >= {"failed.prompt_too_long": 1, "failed.bad_response": 1}.items()
    assert manifest(out)["counts"]["total"]["failed"] == 2


def test_what_several_items_ask_alike_is_asked_once(server, tmp_path, call):
    config = make_pool(tmp_path / "pool", SIZE, server.url, lambda n: "word")
    lines = [json.loads(line) for line in (config.parent / "pool.jsonl").read_text().splitlines()]
    for n, line in enumerate(lines):  # other references, or they would be duplicates
        line["answer"] = f"word{n}" if n % 2 else "word"
    (config.parent / "pool.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert call("run", config, "--set", "judge.enabled=false").code == 0
    assert len(server.seeds()) == SIZE // 2
    out = config.parent / "out"
    assert manifest(out)["counts"]["total"].items() >= {"accepted": SIZE // 2, "rejected": SIZE // 2}.items()


def test_a_bundle_that_is_run_again_asks_nothing_twice(server, tmp_path):
    engine = OpenAiEngine(model="simulated", url=server.url, api_key_env="")
    requests = [
        keys.request(str(n), None, (Message("user", f"word {n}"),), Sampling(), model="simulated") for n in range(60)
    ]
    handler = VisionModelHandler(engine, Run(Ledger(str(tmp_path / "ledger"))))
    loaded = handler.load_model()
    first = handler.run_inference(requests[:40], loaded)
    again = handler.run_inference(requests, loaded)  # a retried bundle may even be cut otherwise
    assert {c.key: c.text for c in first}.items() <= {c.key: c.text for c in again}.items()
    assert len(server.seeds()) == len(set(server.seeds())) == 60
    loaded.close()


FAULTS = {
    "429": "rate_limited",
    "500": "server_error",
    "503": "server_error",
    "inner": "server_error",
    "reset": "unreachable",
    "half": "bad_response",
    "rubbish": "bad_response",
    "html": "bad_response",
    "empty": "bad_response",
    "nomessage": "bad_response",
    "flood": "bad_response",
    "400": "bad_response",
    "long": "prompt_too_long",
    "hang": "timeout",
    "500x1": "",
    "429x2": "",
    "resetx1": "",
    "halfx1": "",
    "htmlx1": "",
}


def most_memory(process):
    """Wait for a process; the most memory that it had, in kilobytes. What `wait4` says counts its parent's as well."""
    most = 0
    while process.poll() is None:
        with suppress(OSError):
            status = Path(f"/proc/{process.pid}/status").read_text()
            most = max([most, *map(int, re.findall(r"VmHWM:\s*(\d+)", status))])
        time.sleep(0.1)
    return most


def test_each_fault_of_a_server_ends_as_its_reason_and_memory_stays_bounded(server, tmp_path):
    names = list(FAULTS)
    size = 3 * len(names)
    limits = {"retries": 2, "first_byte_timeout": 2.0, "total_timeout": 30.0}
    config = make_pool(tmp_path / "pool", size, server.url, lambda n: f"word {n} [{names[n % len(names)]}]", **limits)
    process = begin(config, "--set", "judge.enabled=false")
    peak = most_memory(process)
    assert process.returncode == 3, log(config)
    out = config.parent / "out"
    value = manifest(out)
    failed = {f"failed.{code}": 3 * count for code, count in Counter(filter(None, FAULTS.values())).items()}
    assert {k: v for k, v in value["reasons"]["total"].items() if k.startswith("failed.")} == failed
    counts = value["counts"]["total"]
    assert counts["failed"] == sum(failed.values())
    assert counts["read"] == size == counts["failed"] + counts["accepted"] + counts["rejected"]
    audited = [json.loads(line) for path in out.glob("audit/failed-*") for line in path.read_text().splitlines()]
    assert Counter(entry["reason"] for entry in audited) == Counter(failed)
    assert 0 < peak < 500_000, "kilobytes, nearly all of them what Beam imports"
    assert f"failed {counts['failed']}" in " ".join(log(config).split())


def test_the_order_of_the_pool_and_the_window_change_no_byte(server, tmp_path, call):
    config = make_pool(tmp_path / "pool", SIZE, server.url)
    assert call("run", config).code == 0
    pool = config.parent / "pool.jsonl"
    pool.write_text("".join(reversed(pool.read_text().splitlines(keepends=True))))
    other = config.parent / "other"
    assert call("run", config, "--set", f"output={other}", "--set", "engine.window=1").code == 0
    assert contents(other) == contents(config.parent / "out")
