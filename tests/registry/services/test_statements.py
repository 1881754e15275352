"""Statements: the same rows as the query set, for any values, built once."""

from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oauth.principal import Principal, Reach
from registry.models import ToolRegistration
from registry.services.statements import Statement, principal_in, values_of
from tests.factories import NOW, make_registration

pytestmark = pytest.mark.django_db


def by_name(values, shape):
    return ToolRegistration.objects.filter(of_tool__name=values["name"]).order_by("tool_id")


def names_by_version(values, shape):
    found = ToolRegistration.objects.filter(version=values["version"], registered_at__gte=values["since"])
    return found.filter(pk__gt=values["after"]).values_list("of_tool__name", "is_prerelease")


def visible(values, shape):
    return ToolRegistration.objects.visible_to(principal_in(values, shape[0])).order_by("tool_id")


def test_rows_are_models_with_their_annotations():
    make_registration(instance="host-1")
    statement = Statement(lambda values, _: by_name(values, ()).with_last_beat())

    [found] = statement.instances({"name": "send_email"})

    assert (found.tool_id, found.last_beat_at) == ("mail-team:send_email:1.0.0", NOW)


def test_values_of_several_types_take_their_places():
    row = make_registration()
    statement = Statement(names_by_version)

    def found(**changes):
        known = {"version": "1.0.0", "since": NOW, "after": row.pk - 1}
        return statement.rows(known | changes)

    assert found() == [("send_email", False)]
    assert found(version="2.0.0") == found(since=NOW + timedelta(days=1)) == found(after=row.pk) == []


def test_a_statement_is_built_once_for_each_shape_and_set_of_names():
    built = []

    def build(values, shape):
        built.append(shape)
        return by_name(values, shape)

    statement = Statement(build)
    for name in ("a", "b", "c"):
        statement.instances({"name": name}, ("x",))
    statement.instances({"name": "a"}, ("y",))

    assert built == [("x",), ("y",)]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=30)
@given(
    scopes=st.sets(st.sampled_from(["a", "b", "c", "d", "it's", "%s", "\ue0000000\ue000"])),
    roles=st.sets(st.sampled_from(["x", "y"])),
    reach=st.sampled_from(Reach),
)
def test_every_principal_sees_by_a_statement_what_it_sees_by_the_rule(scopes, roles, reach):
    if not ToolRegistration.objects.exists():
        for name, needed in {"one": ["a"], "two": ["b", "it's"], "three": [], "four": ["%s"]}.items():
            make_registration(name=name, scopes=needed)
        make_registration(name="five", policy={"allowed_roles": ["x"]})
    principal = Principal(None, None, frozenset(scopes), frozenset(roles), reach)

    found = VISIBLE.instances(values_of(principal), (principal.reach,))

    assert [row.tool_id for row in found] == [
        row.tool_id for row in ToolRegistration.objects.visible_to(principal).order_by("tool_id")
    ]


VISIBLE = Statement(visible)


def test_a_value_that_is_in_no_condition_is_an_error_of_ours():
    with pytest.raises(ValueError, match="does not hold other"):
        Statement(by_name).instances({"name": "x", "other": "y"})


def test_a_value_of_another_type_is_an_error_of_ours():
    with pytest.raises(TypeError, match="list cannot be a value"):
        Statement(by_name).instances({"name": ["x"]})


def test_no_more_than_five_hundred_and_twelve_texts_are_kept():
    statement = Statement(by_name)
    for number in range(520):
        statement.instances({"name": "x"}, (number,))

    assert len(statement._kept) == 512


def test_who_sees_nothing_gets_nothing_without_a_query(django_assert_num_queries):
    nobody = Principal(None, None, frozenset(), frozenset(), Reach.NOTHING)

    with django_assert_num_queries(0):
        assert VISIBLE.instances(values_of(nobody), (nobody.reach,)) == []
    assert values_of(Principal(1, None, frozenset("a"), frozenset())) == {"scope 0": "a"}
