import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beam_rs.stats import Rate, wilson


@pytest.mark.parametrize(
    ("hits", "total", "low", "high"),
    [(0, 0, 0, 1), (0, 10, 0, 0.2775), (10, 10, 0.7225, 1), (5, 10, 0.2366, 0.7634), (81, 263, 0.2553, 0.3662)],
)
def test_wilson_as_published(hits: int, total: int, low: float, high: float) -> None:
    interval = wilson(hits, total)
    assert interval.low == pytest.approx(low, abs=5e-5)
    assert interval.high == pytest.approx(high, abs=5e-5)


@settings(deadline=None)
@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_the_interval_holds_the_share(a: int, b: int) -> None:
    hits, total = min(a, b), max(a, b)
    interval = wilson(hits, total)
    assert 0 <= interval.low <= (hits / total if total else 0.5) <= interval.high <= 1
    mirrored = wilson(total - hits, total)
    assert interval.low == pytest.approx(1 - mirrored.high, abs=1e-9)


@pytest.mark.parametrize(("hits", "total"), [(-1, 3), (4, 3)])
def test_no_share(hits: int, total: int) -> None:
    with pytest.raises(ValueError, match="no share"):
        wilson(hits, total)


def test_rates_add_and_print() -> None:
    assert Rate(1, 2) + Rate(3, 4) == Rate(4, 6)
    assert str(Rate(57, 60)) == "57 of 60, 95.0 % (95 % interval 86.3–98.3 %)"
    assert Rate(0, 0).share is None
