"""Times and states in words."""

from datetime import datetime

import pytest

from registry.admin.badges import age, badge, lease_state
from registry.models.instance import ENDED
from registry.services.leases import LeaseView
from tests.factories import at, cutoff


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (None, "never"),
        (ENDED, "given back"),
        (at(5), "now"),
        (at(0), "now"),
        (at(-59), "59 s ago"),
        (at(-60), "1 min ago"),
        (at(-7200), "2 h ago"),
        (at(-200_000), "2 d ago"),
    ],
)
def test_age_is_in_its_largest_unit(moment: datetime | None, text: str) -> None:
    assert age(moment, at(0)) == text


@pytest.mark.parametrize(("seconds", "state"), [(-10, "HEALTHY"), (-60, "SUSPECT"), (-90, "UNAVAILABLE")])
def test_lease_is_judged_by_its_last_beat(seconds: int, state: str) -> None:
    seen = LeaseView(at(0), cutoff(), at(-45), is_held=False, is_grace=False, silent=0, silent_providers=0)

    assert lease_state(at(seconds), seen) == state


def test_badge_says_its_state_in_words() -> None:
    assert badge("HEALTHY") == '<span class="badge badge-healthy">Healthy</span>'
