from pathlib import Path

import pytest

from beam_rs import config, job
from beam_rs.errors import ConfigError

WHOLE = """
output: out
pool: [pool.jsonl]
families:
  ChartQA: {verifier: relaxed}
  Chart.v2:
    verifier: anls
engine: {name: openai, model: m, url: "http://127.0.0.1:1/v1"}
judge: {enabled: false}
"""


def written(folder: Path, text: str = WHOLE) -> Path:
    file = folder / "config.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def fault(folder: Path, text: str, *assignments: str) -> str:
    with pytest.raises(ConfigError) as caught:
        job.build(config.load(written(folder, text), assignments))
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "line", "hint"),
    [
        (WHOLE + "limts: {}\n", 10, "'limits'"),
        (WHOLE + "sampling:\n  temprature: 1\n", 11, "'temperature'"),
        (WHOLE.replace("verifier: anls", "verifer: anls"), 7, "'verifier'"),
        (WHOLE.replace("[pool.jsonl]", "[{path: a, famly: ChartQA}]"), 3, "'family'"),
        (WHOLE.replace("relaxed", "relaxd"), 5, "'relaxed'"),
        (WHOLE.replace("verifier: anls", "verifier: {name: anls, acept_at: 1}"), 7, "'accept_at'"),
        (WHOLE.replace("name: openai", "name: opnai"), 8, "'openai'"),
        (WHOLE.replace("enabled: false", "enbled: false"), 9, "'enabled'"),
        (WHOLE + "cleaning: {purty: {}}\n", 10, "'purity'"),
        (WHOLE + "images: {formats: [JPG]}\n", 10, "'JPEG'"),
    ],
)
def test_a_wrong_name_is_answered_with_the_nearest_and_its_line(tmp_path: Path, text: str, line: int, hint: str):
    message = fault(tmp_path, text)
    assert f"config.yaml:{line}:" in message and hint in message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "must be a mapping"),
        ("- a\n- b\n", "must be a mapping"),
        ("pool: [\n", "is not YAML"),
        ("output: out\noutput: other\n", "config.yaml:2: 'output' stands twice"),
        ("a: &a [*a]\n", "refers to itself"),
        ("a: \x00\n", "is not YAML"),
        ("output: out\n", "families: field required"),
        (WHOLE.replace("[pool.jsonl]", "[]"), "config.yaml:3: pool"),
        (WHOLE.replace("output: out", "output: 5"), "config.yaml:2: output"),
        (WHOLE.replace("ChartQA:", "audit:"), "family name 'audit'"),
        (WHOLE.replace("ChartQA:", "../up:"), "family name '../up'"),
        (WHOLE.replace("ChartQA:", "7:"), "family name '7'"),
        (WHOLE + "sampling: {temperature: hot}\n", "sampling.temperature"),
        (WHOLE + "sampling: {samples: 4}\n", "temperature 0"),
        (WHOLE + "limits: {dead_letters: 5}\n", "limits.dead_letters"),
        (WHOLE + "cleaning: {provenance: {}}\n", "exactly one of 'manifest' and 'root'"),
        (WHOLE.replace("relaxed}", "anls, genuine: {questions: ['(']}}"), "config.yaml:5: families.ChartQA.genuine: "),
        (WHOLE.replace("relaxed", "os:system"), "not a class"),
        (WHOLE.replace("relaxed", "no.such.module:Name"), "cannot be imported"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, text: str, expected: str):
    assert expected in fault(tmp_path, text)


def test_all_faults_are_told_at_once(tmp_path: Path):
    message = fault(tmp_path, WHOLE + "limits: {dead_letters: 5}\nsampling: {top_p: 0}\n")
    assert "config.yaml:10:" in message and "config.yaml:11:" in message


def test_a_file_that_is_not_there_or_not_text(tmp_path: Path):
    with pytest.raises(ConfigError, match="cannot be read"):
        config.load(tmp_path / "none.yaml")
    (tmp_path / "bytes.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="cannot be read"):
        config.load(tmp_path / "bytes.yaml")
    with pytest.raises(ConfigError, match="cannot be read"):
        config.load(tmp_path)


@pytest.mark.parametrize(
    ("assignment", "read"),
    [
        ("sampling.temperature=0.7", lambda s: s.sampling.temperature == 0.7),
        ("sampling.stop=[a, b]", lambda s: s.sampling.stop == ["a", "b"]),
        ("engine={name: ocr}", lambda s: s.engine == {"name": "ocr"}),
        ("engine.name=ocr", lambda s: s.engine["name"] == "ocr" and s.engine["model"] == "m"),
        ("families.Chart.v2.instruction=Be brief.", lambda s: s.families["Chart.v2"].instruction == "Be brief."),
        ("families.ChartQA.verifier=anls", lambda s: s.families["ChartQA"].verifier == "anls"),
        (
            "families.Chart.v2.verifier.accept_at=0.9",
            lambda s: s.families["Chart.v2"].verifier == {"name": "anls", "accept_at": 0.9},
        ),
        ("families.New={verifier: math}", lambda s: set(s.families) == {"ChartQA", "Chart.v2", "New"}),
        ("families.ChartQA.sampling.samples=4", lambda s: s.families["ChartQA"].sampling.samples == 4),
        ("families.ChartQA.instruction=a=b", lambda s: s.families["ChartQA"].instruction == "a=b"),
        ("judge.enabled=true", lambda s: s.judge["enabled"] is True),
        ("limits.dead_letters=1", lambda s: s.limits.dead_letters == 1),
        ("runner.options.direct_num_workers=2", lambda s: s.runner.options == {"direct_num_workers": 2}),
    ],
)
def test_set(tmp_path: Path, assignment: str, read):
    assert read(config.load(written(tmp_path), [assignment]).settings)


@pytest.mark.parametrize(
    ("assignment", "expected"),
    [
        ("sampling", "expected a.b=value"),
        ("=1", "expected a.b=value"),
        ("sampling.temperature=[", "not YAML"),
        ("sampling.temprature=1", "'temperature'"),
        ("pool.7.path=a", "no index of a list of 1"),
        ("output.a.b=1", "output"),
    ],
)
def test_set_that_is_wrong(tmp_path: Path, assignment: str, expected: str):
    assert expected in fault(tmp_path, WHOLE, assignment)


def test_paths_are_relative_to_the_file_or_on_the_command_line_to_the_working_directory(tmp_path: Path, monkeypatch):
    home, here = tmp_path / "home", tmp_path / "here"
    home.mkdir(), here.mkdir()
    monkeypatch.chdir(here)
    text = WHOLE.replace("[pool.jsonl]", "[p/*.jsonl, {path: q.jsonl}, 'gs://bucket/r.jsonl', /abs/s.jsonl]")
    text += "images: {allow: ['gs://bucket/i/', more]}\ncleaning: {provenance: {manifest: s.jsonl}}\n"
    given = config.load(written(home, text)).settings
    assert given.output == str(home / "out")
    assert [entry.path for entry in given.pool] == [
        str(home / "p/*.jsonl"),
        str(home / "q.jsonl"),
        "gs://bucket/r.jsonl",
        "/abs/s.jsonl",
    ]
    assert given.images.root == str(home) and given.images.allow == ["gs://bucket/i/", str(home / "more")]
    assert given.cleaning["provenance"]["manifest"] == str(home / "s.jsonl")
    assignments = ["output=o", "pool=[a.jsonl]", "images.root=pictures", "cleaning.provenance={manifest: t.jsonl}"]
    told = config.load(home / "config.yaml", assignments).settings
    assert (told.output, told.pool[0].path) == (str(here / "o"), str(here / "a.jsonl"))
    assert told.images.root == str(here / "pictures")
    assert told.cleaning["provenance"]["manifest"] == str(here / "t.jsonl")


def test_everything_but_pool_output_and_families_has_a_default(tmp_path: Path):
    pytest.importorskip("rapidocr")
    text = "output: out\npool: pool.jsonl\nfamilies: {Signs: {verifier: alnum}}\n"
    built = job.build(config.load(written(tmp_path, text)))
    assert built.engine.name == "ocr" and built.judge is None and built.place.root == str(tmp_path)
    assert [rule.name for rule in built.rules] == ["choices"]
    assert built.families["Signs"].samples == 1 and built.dead_letters == 0.05


SAME = [
    "output=elsewhere",
    "runner.name=prism",
    "runner.options.direct_num_workers=2",
    "engine.window=3",
    "engine.url=http://127.0.0.1:2/v1",
    "limits.dead_letters=1",
    "cost.price=2",
]
OTHER = [
    "pool=[other.jsonl]",
    "images.max_pixels=5",
    "images.root=i",
    "cleaning.purity.threshold=0.5",
    "families.ChartQA.instruction=Be brief.",
    "families.ChartQA.verifier=exact",
    "engine.model=n",
    "engine.revision=r1",
    "sampling.max_tokens=5",
    "judge.enabled=true",
]


def fingerprint(file: Path, *assignments: str) -> str:
    return job.build(config.load(file, assignments)).fingerprint


@pytest.mark.parametrize(("assignment", "same"), [*((a, True) for a in SAME), *((a, False) for a in OTHER)])
def test_the_fingerprint_moves_with_what_decides_the_output(tmp_path: Path, assignment: str, same: bool):
    file = written(tmp_path)
    assert (fingerprint(file) == fingerprint(file, assignment)) is same


def test_a_judge_that_is_set_otherwise_moves_the_fingerprint(tmp_path: Path):
    file = written(tmp_path)
    assert fingerprint(file, "judge.enabled=true") != fingerprint(file, "judge.enabled=true", "judge.gate=0.5")


def test_a_folder_that_moves_keeps_its_fingerprint_and_its_saved_configuration(tmp_path: Path):
    (tmp_path / "a").mkdir(), (tmp_path / "b").mkdir()
    first, second = config.load(written(tmp_path / "a")), config.load(written(tmp_path / "b"))
    assert job.build(first).fingerprint == job.build(second).fingerprint
    assert first.portable == second.portable
    assert first.portable["output"] == "out" and first.portable["pool"] == ["pool.jsonl"]
