"""What the database itself refuses, whoever writes."""

import pytest
from django.db import IntegrityError, transaction

from registry.models import (
    EmbeddingSpace,
    LeaseWatch,
    Provider,
    ProviderOwner,
    Tool,
    ToolInstance,
    ToolPresentation,
    ToolRegistration,
    ToolUse,
)
from tests.factories import NOW, make_application, make_principal, make_registration

pytestmark = pytest.mark.django_db


def _provider(name: str) -> Provider:
    return Provider.objects.create(name=name, created_at=NOW)


def _tool(name: str, *, provider: str = "team", is_default_for_name: bool = False) -> Tool:
    row, _ = Provider.objects.get_or_create(name=provider, defaults={"created_at": NOW})
    return Tool.objects.create(
        provider=row, name=name, is_default_for_name=is_default_for_name, created_at=NOW
    )


@pytest.mark.parametrize("name", ["Team", "-team", ".team", "", "te am", "t" * 64, "tä", "team\n"])
def test_a_provider_name_breaks_no_grammar(name):
    with pytest.raises(Exception, match=r"provider_name_grammar|too long"), transaction.atomic():
        _provider(name)


@pytest.mark.parametrize("name", ["t", "0", "team-1.a_b", "t" * 63])
def test_a_provider_name_may_have_every_form_of_the_grammar(name):
    assert str(_provider(name)) == name


@pytest.mark.parametrize("name", ["1tool", "_tool", "to ol", "tool.a", ""])
def test_a_tool_name_breaks_no_grammar(name):
    with pytest.raises(IntegrityError, match="tool_name_grammar"), transaction.atomic():
        _tool(name)


def test_a_name_has_one_default():
    _tool("send", provider="a", is_default_for_name=True)
    _tool("send", provider="b")
    _tool("other", provider="b", is_default_for_name=True)

    with pytest.raises(IntegrityError, match="tool_one_default_for_name"), transaction.atomic():
        _tool("send", provider="c", is_default_for_name=True)


def test_a_tool_is_one_in_its_namespace():
    _tool("send")

    with pytest.raises(IntegrityError, match="tool_once"), transaction.atomic():
        _tool("send")


def test_a_version_is_one_up_to_build_metadata():
    row = make_registration(version="1.0.0+a")
    row.pk, row.tool_id, row.version = None, "mail-team:send_email:1.0.0+b", "1.0.0+b"

    with pytest.raises(IntegrityError, match="registration_version_once"), transaction.atomic():
        row.save()


def test_an_instance_has_one_lease_on_a_registration():
    lease = _lease()
    lease.pk = None

    with pytest.raises(IntegrityError, match="instance_lease_once"), transaction.atomic():
        lease.save()


def _lease() -> ToolInstance:
    row = make_registration(instance="host-1")
    lease = row.instances.get()
    assert str(lease) == f"host-1 serves {row.pk}"
    return lease


def test_a_revision_has_one_number():
    row = make_registration()

    with pytest.raises(IntegrityError, match="presentation_revision_once"), transaction.atomic():
        ToolPresentation.objects.create(registration=row, revision=1, created_at=NOW)


def test_one_space_is_current():
    EmbeddingSpace.objects.create(space_id="a", is_current=True, created_at=NOW)
    EmbeddingSpace.objects.create(space_id="b", created_at=NOW)

    with pytest.raises(IntegrityError, match="space_one_current"), transaction.atomic():
        EmbeddingSpace.objects.update(is_current=True)


def test_the_watch_is_one_row():
    with pytest.raises(IntegrityError, match="lease_watch_is_one_row"), transaction.atomic():
        LeaseWatch.objects.create(id=2)


def test_anonymous_uses_are_counted_in_one_row_too():
    row = make_registration()
    use = ToolUse(registration=row, kind="RESOLVE", count=1, first_at=NOW, last_at=NOW)
    use.save()
    use.pk = None

    with pytest.raises(IntegrityError, match="use_once"), transaction.atomic():
        use.save()


def test_a_tool_with_versions_is_not_deleted():
    row = make_registration()

    with pytest.raises(IntegrityError), transaction.atomic():
        row.of_tool.provider.delete()

    assert ToolRegistration.objects.exists()


@pytest.mark.parametrize(("owners", "is_writable"), [((), False), (("me",), True), (("other",), False)])
def test_an_application_writes_in_namespaces_that_it_owns_alone(owners, is_writable):
    provider = _provider("team")
    applications = {name: make_application(name) for name in ("me", "other", "third")}
    for name in [*owners, *(["third"] if owners else [])]:
        ProviderOwner.objects.create(provider=provider, application=applications[name], since=NOW)

    mine = Provider.objects.writable_by(make_principal(application=applications["me"]))

    assert list(mine) == ([provider] if is_writable else [])


def test_without_a_token_only_free_namespaces_are_writable():
    _provider("free")
    owned = _provider("owned")
    owner = ProviderOwner.objects.create(provider=owned, application=make_application("me"), since=NOW)

    writable = Provider.objects.writable_by(make_principal())

    assert [row.name for row in writable] == ["free"]
    assert str(owner) == "me owns owned"


def test_rows_name_themselves():
    row = make_registration()

    names = [str(row.of_tool), str(row.approved_presentation), str(LeaseWatch())]
    held = LeaseWatch(held_since=NOW)

    assert names == ["mail-team/send_email", "revision 1", "watching"]
    assert str(held) == "held"
