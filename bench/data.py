"""Fill a registry: one tool is registered by the service, and copied inside the database.

A provider has ten tools of fifty versions; its instance `host-7` serves the seventh version of each. So a
beat is one of ten leases, and every registration has one. Copies have no words and no revisions of their own:
nothing here reads them.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from django.db import connection

from bench import documents, naive
from oauth.models import Application
from oauth.principal import Principal
from registry.models import LeaseWatch, Provider, ProviderOwner, ToolInstance, ToolRegistration
from registry.services import registration
from registry.services.leases import LeasePolicy
from registry.services.registration import Registering

NOW = datetime(2030, 1, 1, tzinfo=UTC)
"""When all is loaded; a benchmark's clock goes on from here."""
POLICY = LeasePolicy(
    heartbeat_seconds=30,
    suspect_seconds=45,
    lease_seconds=90,
    preservation_share=0.5,
    preservation_providers=5,
)
CUTOFF = NOW - timedelta(seconds=POLICY.lease_seconds)
"""Leases that were renewed after it count at NOW."""
TOOLS = 10
"""Tools of a provider, and leases of a beat."""
TERMS = 24
"""Terms of a text, repetitions included."""

_COPY_TOOLS = """
INSERT INTO registry_provider (name, created_at, may_be_private, audiences)
SELECT 'bench-' || p, %(now)s, false, '{}' FROM generate_series(0, %(providers)s - 1) p;
INSERT INTO registry_tool (provider_id, name, is_default_for_name, created_at)
SELECT id, 'tool_' || substr(name, 7) || '_' || t, false, %(now)s
FROM registry_provider, generate_series(0, %(tools)s - 1) t WHERE name LIKE 'bench-%%' ORDER BY id, t;
"""
# What a tool says changes with its major version.
_COPY_TEXTS = """
INSERT INTO registry_searchtext (words_hash, length)
SELECT concat_ws('.', 'bench', tool.id, major), %(terms)s
FROM registry_tool tool JOIN registry_provider provider
    ON provider.id = tool.provider_id AND provider.name LIKE 'bench-%%',
(SELECT DISTINCT split_part(version, '.', 1) AS major
    FROM registry_toolregistration WHERE tool_id LIKE 'template:%%') original
ORDER BY tool.id, major
"""
# The rows of one instance side by side, as its registration would have left them.
_COPY_REGISTRATIONS = """
INSERT INTO registry_toolregistration
SELECT copy.* FROM registry_tool tool
JOIN registry_provider provider ON provider.id = tool.provider_id AND provider.name LIKE 'bench-%%'
CROSS JOIN registry_toolregistration original
JOIN registry_searchtext said
    ON said.words_hash = concat_ws('.', 'bench', tool.id, split_part(original.version, '.', 1))
CROSS JOIN LATERAL (SELECT replace(replace(original.document_text,
    '"template"', format('"%%s"', provider.name)), '"original"', format('"%%s"', tool.name)) AS text) document
CROSS JOIN LATERAL jsonb_populate_record(original, jsonb_build_object(
    'id', nextval(pg_get_serial_sequence('registry_toolregistration', 'id')),
    'of_tool_id', tool.id,
    'tool_id', concat_ws(':', provider.name, tool.name, original.version),
    'document_text', document.text,
    'content_hash', encode(sha256(convert_to(document.text, 'UTF8')), 'hex'),
    'search_text_id', said.id,
    'approved_presentation_id', NULL)) copy
WHERE original.tool_id LIKE 'template:%%' ORDER BY provider.id, original.version_key, tool.id
"""
_COPY_LEASES = """
INSERT INTO registry_toolinstance (registration_id, provider_id, provider_instance, endpoint, last_beat_at)
SELECT registration.id, tool.provider_id, 'host-' || (original.rank - 1), '', %(now)s
FROM registry_toolregistration registration JOIN registry_tool tool ON tool.id = registration.of_tool_id
JOIN (SELECT version, row_number() OVER (ORDER BY version_key) AS rank
      FROM registry_toolregistration WHERE tool_id LIKE 'template:%%') original USING (version)
WHERE registration.tool_id LIKE 'bench-%%' ORDER BY registration.id
"""
_COPY_NAIVE = """
INSERT INTO bench_naivetool (provider_id, tool_id, name, version, document, tags, status, last_heartbeat_at)
SELECT tool.provider_id, tool_id, tool.name, version, document_text::jsonb, tags, 'ACTIVE', %(now)s
FROM registry_toolregistration r JOIN registry_tool tool ON tool.id = r.of_tool_id ORDER BY r.id
"""


def load(rows: int, *, versions: Sequence[str] = documents.VERSIONS) -> int:
    """Make about so many registrations with a lease each, and as many naive rows; return how many."""
    naive.create_table()
    originals = [documents.make(provider="template", name="original", version=v) for v in versions]
    registration.register(originals, by=registering())
    values: dict[str, datetime | int] = {
        "now": NOW,
        "providers": max(1, rows // (TOOLS * len(versions))),
        "tools": TOOLS,
        "terms": TERMS,
    }
    with connection.cursor() as cursor:
        for statements in (_COPY_TOOLS, _COPY_TEXTS, _COPY_REGISTRATIONS, _COPY_LEASES, _COPY_NAIVE):
            cursor.execute(statements, values)
    _own_all()
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
        cursor.execute("CHECKPOINT")
    return ToolRegistration.objects.count()


def _own_all() -> None:
    application = _application()
    owned = Provider.objects.filter(name__startswith="bench-")
    ProviderOwner.objects.bulk_create(
        ProviderOwner(provider=provider, application=application, since=NOW) for provider in owned
    )


def _application() -> Application:
    application: Application
    application, _ = Application.objects.get_or_create(
        name="bench", client_type="confidential", authorization_grant_type="client-credentials"
    )
    return application


def principal() -> Principal:
    """Return the application that owns every namespace, with a scope that opens every tool."""
    return Principal(_application().pk, None, frozenset({"bench:use"}), frozenset())


def registering() -> Registering:
    """Return under which rules documents are registered."""
    return Registering(principal=principal(), now=NOW, review_required=False)


def beats(most: int) -> Sequence[tuple[str, list[str]]]:
    """Return at most so many instances from all over the table, each with the tool ids of its beat."""
    providers = Provider.objects.filter(name__startswith="bench-").count()
    everyone = providers * len(documents.VERSIONS)
    chosen = range(0, everyone, max(1, everyone // most))
    return [_beat(*divmod(number, len(documents.VERSIONS))) for number in list(chosen)[:most]]


def _beat(provider: int, rank: int) -> tuple[str, list[str]]:
    version = documents.VERSIONS[rank]
    return f"host-{rank}", [f"bench-{provider}:tool_{provider}_{t}:{version}" for t in range(TOOLS)]


def renew() -> None:
    """Put every lease back to fresh and healthy at NOW; rows that are so already are not written."""
    ToolInstance.objects.exclude(last_beat_at=NOW).update(last_beat_at=NOW)
    ToolRegistration.objects.exclude(health="HEALTHY").update(health="HEALTHY")
    LeaseWatch.objects.update_or_create(pk=1, defaults={"swept_at": NOW})
    naive.NaiveTool.objects.exclude(status="ACTIVE", last_heartbeat_at=NOW).update(
        status="ACTIVE", last_heartbeat_at=NOW
    )
