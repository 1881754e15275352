"""Which version carries a change."""

import pytest

from toolroster.compat import suggested_version

LINES = ["1.4.6", "1.4.7", "1.5.0", "2.0.0", "2.1.0", "3.0.0-rc.1"]


@pytest.mark.parametrize(
    ("old", "classification", "published", "expected"),
    [
        ("1.4.2", "none", [], "1.4.2"),
        ("1.4.2", "info", [], "1.4.3"),
        ("1.4.2", "warning", [], "1.5.0"),
        ("1.4.2", "breaking", [], "2.0.0"),
        ("1.4.7", "breaking", LINES, "3.0.0"),
        ("1.4.7", "warning", LINES, "1.6.0"),
        ("1.4.7", "info", LINES, "1.4.8"),
        ("1.4.6", "info", LINES, "1.4.8"),
        ("2.0.0-rc.1", "breaking", [], "2.0.0"),
        ("2.0.0-rc.1", "breaking", ["2.0.0"], "3.0.0"),
        ("1.5.0-beta.2", "warning", [], "1.5.0"),
        ("0.3.1", "breaking", [], "1.0.0"),
        ("0.3.1", "warning", ["0.4.0", "0.5.1"], "0.6.0"),
    ],
)
def test_the_lowest_that_may_carry_it(old, classification, published, expected):
    assert suggested_version(old, classification, published=published) == expected


@pytest.mark.parametrize(
    ("old", "classification", "expected"),
    [("0.3.1", "breaking", "0.4.0"), ("0.3.1", "warning", "0.3.2"), ("1.3.1", "breaking", "2.0.0")],
)
def test_0_x_may_step_one_place_to_the_right(old, classification, expected):
    assert suggested_version(old, classification, shifts=True) == expected
