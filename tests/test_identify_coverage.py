"""How often intervals contain the truth, and whether what cannot be told is named, on rigs whose numbers are known."""

from collections import defaultdict

import pytest
from identify_coverage import Interval, intervals, make_known, names_hidden


def measure(numbers: range) -> tuple[dict[str, list[Interval]], list[int]]:
    """Intervals of some rigs by kind, and the rigs that hide something that was not named."""
    found: dict[str, list[Interval]] = defaultdict(list)
    unnamed = []
    for number in numbers:
        known = make_known(number)
        fit = known.fit()
        found[known.kind] += intervals(known, fit)
        if not names_hidden(known, fit):
            unnamed.append(number)
    for kind, each in [*found.items(), ("all", all_of(found))]:
        print(f"{kind}: {sum(x.holds for x in each)} of {len(each)} intervals hold the truth")
    return found, unnamed


def all_of(found: dict[str, list[Interval]]) -> list[Interval]:
    return [each for kind in found.values() for each in kind]


def share(found: dict[str, list[Interval]]) -> float:
    return sum(each.holds for each in all_of(found)) / len(all_of(found))


def test_intervals_of_six_rigs_hold_the_truth():
    """One rig of each kind: of 27 intervals of 95 %, fewer than 22 hold the truth once in a thousand times."""
    found, unnamed = measure(range(6))
    assert len(found) == 6 and share(found) > 0.78
    assert not unnamed


@pytest.mark.long
def test_intervals_of_two_hundred_rigs_hold_the_truth():
    """Of 95 % intervals, 91 to 98 % hold the truth, and every direction that a rig hides is named."""
    found, unnamed = measure(range(200))
    assert 0.91 <= share(found) <= 0.98
    assert not unnamed
