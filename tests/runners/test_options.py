import pytest
from apache_beam.options.pipeline_options import DirectOptions, GoogleCloudOptions, PipelineOptions

from beam_rs.errors import UsageError
from beam_rs.runners import direct, options


@pytest.mark.parametrize(
    ("given", "flags"),
    [
        ({}, []),
        ({"direct_num_workers": 2}, ["--direct_num_workers=2"]),
        ({"streaming": True, "no_auth": False, "region": None}, ["--streaming"]),
        ({"experiments": ["a", "b=c"]}, ["--experiments=a", "--experiments=b=c"]),
        ({"labels": []}, []),
    ],
)
def test_flags(given, flags):
    assert options.flags(given, []) == flags
    assert options.flags(given, ["--last=1"]) == [*flags, "--last=1"]


def test_what_beam_knows_is_passed_on():
    parsed = options.parse(["--direct_num_workers=2", "--direct_running_mode", "multi_processing", "--project=abcdef"])
    assert parsed.view_as(DirectOptions).direct_num_workers == 2
    assert parsed.view_as(GoogleCloudOptions).project == "abcdef"


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ("--direct_num_wokers=2", "did you mean '--direct_num_workers'"),
        ("--direct_num_workers=two", "direct_num_workers"),
        ("--direct_running_mode=fast", "direct_running_mode"),
        ("stray", "unknown option 'stray'"),
        ("--direct_num", "--direct_num"),
        ("-x", "unknown option '-x'"),
    ],
)
def test_what_beam_does_not_know_is_named(argument: str, said: str):
    with pytest.raises(UsageError, match=said):
        options.parse([argument])


def test_runners_by_name():
    assert type(direct.runner("direct")).__name__ == "FnApiRunner" and direct.runner("prism") == "PrismRunner"
    with pytest.raises(UsageError, match="known: direct"):
        direct.runner("DirectRunner")


@pytest.mark.parametrize(
    ("name", "flags", "seen"),
    [
        ("direct", [], True),
        ("direct", ["--direct_running_mode=multi_threading"], True),
        ("direct", ["--direct_running_mode=multi_processing"], False),
        ("prism", [], False),
    ],
)
def test_whether_totals_are_seen_live(name: str, flags: list[str], seen: bool):
    assert direct.is_in_process(name, PipelineOptions(flags)) is seen
