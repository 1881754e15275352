"""Each framework, driven by itself with a scripted model: right calls, wrong ones, and errors to mend."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from agents import Agent as OpenAIAgent
from agents import ModelResponse, RunConfig, Runner, Usage
from agents.models.interface import Model
from langchain_core.messages import ToolMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from llama_index.core.llms.llm import ToolSelection
from llama_index.core.tools.calling import acall_tool_with_selection, call_tool_with_selection
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText
from pydantic_ai import Agent as PydanticAgent
from pydantic_ai import DeferredToolRequests
from pydantic_ai.messages import ModelMessage, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.messages import ModelResponse as PydanticResponse
from pydantic_ai.models.function import AgentInfo, FunctionModel

from toolroster.adapters import langchain, llama_index, openai_agents, pydantic_ai

WRONG = {"guests": 40}
FULL = {"guests": 2, "note": "full"}
RIGHT = {"guests": 2, "room": "garden", "note": None}
BOOKED = {"booked": "2 in the garden", "note": "None"}


def _is_explained(text: str) -> bool:
    said = json.loads(text)
    return said["errors"][0]["pointer"] == "/guests" and "at most 12" in said["detail"]


class TestLangChain:
    @pytest.fixture
    def tool(self, registry, registrations):
        return langchain.tools(registry, *registrations)[0]

    @staticmethod
    def _call(arguments: dict) -> dict:
        return {"type": "tool_call", "id": "1", "name": "book_table", "args": arguments}

    @staticmethod
    def _message(tool: Any, arguments: dict, *, is_async: bool) -> ToolMessage:
        call = TestLangChain._call(arguments)
        return asyncio.run(tool.ainvoke(call)) if is_async else tool.invoke(call)

    @pytest.mark.parametrize("is_async", [False, True])
    def test_a_call_goes_through_and_errors_are_told(self, tool, is_async):
        right = self._message(tool, RIGHT, is_async=is_async)
        wrong = self._message(tool, WRONG, is_async=is_async)
        full = self._message(tool, FULL, is_async=is_async)

        assert json.loads(right.text) == BOOKED
        assert (wrong.status, _is_explained(wrong.text)) == ("error", True)
        assert json.loads(full.text)["detail"] == "All tables are taken on that day."

    def test_models_are_told_the_schema(self, tool):
        function = convert_to_openai_tool(tool)["function"]

        assert function["name"] == "book_table"
        assert function["parameters"]["properties"]["guests"]["maximum"] == 12
        assert function["parameters"]["required"] == ["guests"]
        assert "Use it when" in function["description"]

    def test_middleware_can_see_who_has_to_agree(self, registry, registrations):
        book, cancel = langchain.tools(registry, *registrations)

        assert [(tool.metadata or {})["requires_approval"] for tool in (book, cancel)] == [False, True]


class TestLlamaIndex:
    @pytest.mark.parametrize("is_async", [False, True])
    def test_a_call_goes_through_and_errors_are_told(self, registry, registrations, is_async):
        tools = llama_index.tools(registry, *registrations)

        def called(arguments: dict, name: str = "book_table") -> Any:
            chosen = ToolSelection(tool_id="1", tool_name=name, tool_kwargs=arguments)
            if is_async:
                return asyncio.run(acall_tool_with_selection(chosen, tools))
            return call_tool_with_selection(chosen, tools)

        assert called(RIGHT).raw_output == BOOKED
        assert called(WRONG).is_error
        assert _is_explained(called(WRONG).content)
        assert called({"booking": "7"}, "cancel_table").content == "cancelled 7"  # passed without its name
        assert tools[0].metadata.to_openai_tool()["function"]["parameters"]["required"] == ["guests"]
        assert [tool.requires_approval for tool in tools] == [False, True]


class _Scripted(Model):
    """A model that makes calls one after the other, and remembers what it was answered."""

    def __init__(self, *calls: tuple[str, dict]) -> None:
        self._calls: Iterator[tuple[str, dict]] = iter(calls)
        self.heard: list[str] = []
        self.offered: list[Any] = []

    async def get_response(self, system_instructions, input, model_settings, tools, *rest, **more):  # noqa: A002
        self.offered = tools
        said = input if isinstance(input, list) else []
        self.heard += [one["output"] for one in said[-1:] if one.get("type") == "function_call_output"]
        name, arguments = next(self._calls, ("", {}))
        return ModelResponse(output=[self._output(name, arguments)], usage=Usage(), response_id=None)

    def _output(self, name: str, arguments: dict) -> Any:
        if name:
            text = json.dumps(arguments)
            return ResponseFunctionToolCall(
                call_id=str(len(self.heard)), name=name, arguments=text, type="function_call"
            )
        done = ResponseOutputText(text="Done.", type="output_text", annotations=[])
        return ResponseOutputMessage(
            id="m", content=[done], role="assistant", status="completed", type="message"
        )

    def stream_response(self, *rest: Any, **more: Any) -> Any:
        raise NotImplementedError


class TestOpenAIAgents:
    @staticmethod
    def _run(model: Model, tools: list) -> Any:
        agent = OpenAIAgent(name="host", model=model, tools=tools)
        return asyncio.run(Runner.run(agent, "A table, please.", run_config=RunConfig(tracing_disabled=True)))

    def test_a_run_mends_its_call(self, registry, registrations):
        model = _Scripted(("book_table", WRONG), ("book_table", FULL), ("book_table", RIGHT))

        result = self._run(model, openai_agents.tools(registry, *registrations))

        assert result.final_output == "Done."
        assert _is_explained(model.heard[0])
        assert "All tables are taken" in model.heard[1]
        assert json.loads(model.heard[2]) == BOOKED

    def test_schemas_are_strict_where_they_can_be(self, registry, registrations):
        book = openai_agents.tools(registry, *registrations)[0]

        assert book.strict_json_schema
        assert book.params_json_schema["required"] == ["guests", "room", "note"]

    def test_arguments_that_are_no_object_are_explained(self, registry, registrations):
        book = openai_agents.tools(registry, *registrations)[0]

        for text in ("[1]", "{", "nonsense"):
            assert json.loads(asyncio.run(book.on_invoke_tool(None, text)))["code"]  # type: ignore[arg-type]

    def test_a_run_waits_for_a_person(self, registry, registrations):
        model = _Scripted(("cancel_table", {"booking": "7"}))

        result = self._run(model, openai_agents.tools(registry, *registrations))

        assert [one.raw_item.name for one in result.interruptions] == ["cancel_table"]


class TestPydanticAI:
    @staticmethod
    def _model(*calls: tuple[str, dict]) -> tuple[FunctionModel, list]:
        waiting = iter(calls)
        heard: list = []

        def answer(messages: list[ModelMessage], info: AgentInfo) -> PydanticResponse:
            heard.extend(part for part in messages[-1].parts if isinstance(part, ToolReturnPart))
            call = next(waiting, None)
            return PydanticResponse(parts=[ToolCallPart(*call) if call else TextPart("Done.")])

        return FunctionModel(answer), heard

    def test_a_run_mends_its_call(self, registry, registrations):
        model, heard = self._model(("book_table", WRONG), ("book_table", RIGHT), ("book_table", FULL))
        agent = PydanticAgent(model, tools=pydantic_ai.tools(registry, *registrations))

        assert asyncio.run(agent.run("A table, please.")).output == "Done."
        assert heard[0].outcome == "retried"
        assert _is_explained(str(heard[0].content))
        assert heard[1].content == BOOKED
        assert "All tables are taken" in str(heard[2].content)

    def test_a_run_waits_for_a_person(self, registry, registrations):
        model, _ = self._model(("cancel_table", {"booking": "7"}))
        tools = pydantic_ai.tools(registry, *registrations)
        agent = PydanticAgent(model, tools=tools, output_type=[str, DeferredToolRequests])

        output: Any = asyncio.run(agent.run("Cancel it.")).output

        assert [call.tool_name for call in output.approvals] == ["cancel_table"]
