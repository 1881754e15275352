"""The memory as tools: registered with honest documents, by a command and by the demo."""

import pytest
from django.core.management import CommandError

from config import demo
from consumers.services import memory_tools
from oauth.models import Scope
from registry.models import ToolRegistration
from tests.consumers.agents import caller
from tests.factories import NOW, make_registration
from tests.registry.management.test_commands import run
from toolroster.lint import lint

pytestmark = pytest.mark.django_db
TOOL_IDS = ["memory-service:get_compressed_memory:1.0.0", "memory-service:store_memory:1.0.0"]


def _registered() -> list[str]:
    found = ToolRegistration.objects.filter(of_tool__provider__name=memory_tools.PROVIDER)
    return list(found.order_by("tool_id").values_list("tool_id", flat=True))


def test_a_command_registers_both_tools_once():
    assert run("register_memory_tools")[0].splitlines() == [f"{one}: created" for one in TOOL_IDS[::-1]]
    assert run("register_memory_tools")[0].splitlines() == [f"{one}: unchanged" for one in TOOL_IDS[::-1]]
    assert _registered() == TOOL_IDS


def test_who_owns_their_namespace_alone_writes_in_it():
    keeper, stranger = caller("keeper", "tools:register"), caller("stranger", "tools:register")
    ours = {"provider": "memory-service", "name": "forget", "parameters": []}

    run("register_memory_tools", "--owner", "keeper")
    run("register_memory_tools", "--owner", "keeper")

    assert stranger.post("/api/tools/register", ours).json()["code"] == "permission_missing"
    assert keeper.post("/api/tools/register", ours).status_code == 200


def test_their_owner_is_a_client_that_exists():
    with pytest.raises(CommandError, match="no client called nobody"):
        run("register_memory_tools", "--owner", "nobody")

    assert _registered() == []


def test_a_tool_of_their_name_with_another_contract_is_told():
    make_registration(provider="memory-service", name="store_memory")

    with pytest.raises(CommandError, match="memory-service:store_memory"):
        run("register_memory_tools")


def test_the_demo_registers_them_as_well():
    demo.load(now=NOW)
    demo.load(now=NOW)

    assert _registered() == TOOL_IDS


def test_their_scope_is_known_from_then_on():
    run("register_memory_tools")

    assert Scope.objects.filter(name="memory:use").exists()


def test_another_address_of_the_platform_becomes_their_address(settings):
    run("register_memory_tools")
    settings.PUBLIC_URL = "https://tools.example"

    run("register_memory_tools")

    row = ToolRegistration.objects.get(tool_id=TOOL_IDS[1])
    assert row.document["endpoint"]["url"] == "https://tools.example/api/memory/store_memory"


def test_who_holds_the_scope_discovers_them_and_nobody_else():
    run("register_memory_tools")

    def discovered(scope: str) -> set[str]:
        return {tool["name"] for tool in caller(f"with {scope}", scope).get("/").json()["tools"]}

    assert discovered("memory:use") == {"store_memory", "get_compressed_memory"}
    assert discovered("calculator:use") == set()


@pytest.mark.parametrize(
    "document", memory_tools.documents("http://localhost:8006"), ids=lambda one: one["name"]
)
def test_nothing_in_their_documents_is_to_be_mended(document):
    assert lint(document) == []
