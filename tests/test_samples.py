import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beam_rs.samples import Accept, pick
from beam_rs.schema import Completion, Verdict
from beam_rs.stats import Rate

GOOD = Verdict("match", True, "alnum", "1")
BAD = Verdict("no_match", False, "alnum", "1")


def said(answer: str, reasoning: str | None = None, **other: object) -> Completion:
    text = f"<think>{reasoning}</think>{answer}" if reasoning else answer
    return Completion("k", text=text, answer=answer, reasoning=reasoning, **other)  # type: ignore[arg-type]


FAILED = Completion("k", finish_reason="error", error="timeout")
CUT = said("12", truncated=True)
SAMPLES = [(said("a hotel"), GOOD), (FAILED, None), (said("exit"), BAD), (said("hotel"), GOOD), (said("hotel"), GOOD)]


@pytest.mark.parametrize(("accept", "chosen"), [("first", (0,)), ("shortest", (3,)), ("distinct", (0, 3))])
def test_policies(accept: Accept, chosen: tuple[int, ...]) -> None:
    picked = pick(*zip(*SAMPLES, strict=True), accept=accept)
    assert (picked.end, picked.chosen, picked.passed) == ("accepted", chosen, Rate(3, 4))
    assert picked.pass_rate == 0.75


def test_different_thoughts_are_distinct_samples() -> None:
    done = [said("12", "six and six"), said("12", "a dozen"), said("12", "six and six")]
    assert pick(done, [GOOD] * 3, "distinct").chosen == (0, 1)


@pytest.mark.parametrize(
    ("completions", "verdicts", "end", "chosen", "rate"),
    [
        ([FAILED, FAILED], [None, None], "failed", (), None),
        ([FAILED, said("x")], [None, BAD], "rejected", (1,), 0.0),
        ([CUT, said("x")], [BAD, BAD], "rejected", (1,), 0.0),
        ([CUT, CUT], [BAD, BAD], "rejected", (0,), 0.0),
        ([CUT], [GOOD], "rejected", (0,), 0.0),
        ([FAILED, said("x")], [BAD, GOOD], "accepted", (1,), 1.0),
        ([], [], "failed", (), None),
    ],
)
def test_ends(
    completions: list[Completion],
    verdicts: list[Verdict | None],
    end: str,
    chosen: tuple[int, ...],
    rate: float | None,
) -> None:
    picked = pick(completions, verdicts)
    assert (picked.end, picked.chosen, picked.pass_rate) == (end, chosen, rate)


@pytest.mark.parametrize(
    ("answers", "suspect"),
    [
        (["47", "47.", " 47", "**47**"], "47"),
        (["47", "47", "47", "12"], "47"),
        (["47", "47", "12", "12"], None),
        (["47", "47", "47"], None),
        (["1.5", "15", "-15", "1.5"], None),
        (["thinking\nso it is 47", "So it is 47", "so it is 47!", "x"], "so it is 47"),
        (["", " ", "", ""], None),
        (["…", "…", "…", "…"], None),
    ],
)
def test_agreement_on_another_answer_casts_doubt(answers: list[str], suspect: str | None) -> None:
    verdicts = [GOOD if answer == "12" else BAD for answer in answers]
    assert pick([said(answer) for answer in answers], verdicts).suspect == suspect


def test_cut_samples_agree_with_nothing() -> None:
    assert pick([CUT] * 4, [BAD] * 4).suspect is None
    assert pick([said("47")] * 3 + [CUT] * 2, [BAD] * 5).suspect is None


def test_misaligned_samples_are_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        pick([said("a")], [])


sample = st.one_of(
    st.just((FAILED, None)),
    st.builds(
        lambda t, ok, cut: (said(t, truncated=cut), GOOD if ok else BAD),
        st.text(max_size=4),
        st.booleans(),
        st.booleans(),
    ),
)


@settings(deadline=None)
@given(st.lists(sample, max_size=12), st.sampled_from(["first", "shortest", "distinct"]))
def test_what_is_kept_was_admitted_and_whole(samples: list[tuple[Completion, Verdict | None]], accept: Accept) -> None:
    picked = pick([done for done, _ in samples], [verdict for _, verdict in samples], accept)
    for index in picked.chosen if picked.end == "accepted" else ():
        done, verdict = samples[index]
        assert verdict is GOOD and not done.truncated
    assert (picked.end == "failed") is all(verdict is None for _, verdict in samples)
    assert picked.passed.hits <= picked.passed.total
