"""The model of the demo, which is none."""

import json

import pytest

from toolroster.agents.llm import Message
from toolroster.agents.scripted import NOTICE, ScriptedModel
from toolroster.agents.tool_calls import calls_in, parse

CALCULATOR = "\nAvailable tools:\n- calculator(expression): Perform mathematical calculations"
OFFER = {"type": "function", "function": {"name": "calculator"}}
RESULT = {"role": "user", "content": '<tool_result tool="calculator">\n555.5\n</tool_result>'}


def _asked(about: str, *more: str) -> list[Message]:
    return [
        *({"role": "system", "content": one} for one in (about, *more)),
        {"role": "user", "content": "Go"},
    ]


def test_it_says_first_and_once_that_it_is_no_llm():
    model = ScriptedModel()

    first, second = (model.chat(_asked("You are the planner.")).text for _ in range(2))

    assert first.startswith(NOTICE)
    assert NOTICE not in second


def test_it_calls_a_tool_that_it_is_offered():
    reply = ScriptedModel().chat(_asked("You are the safecracker.", CALCULATOR))

    (call,) = parse(reply.text)
    assert (call.tool, call.params) == ("calculator", {"expression": "100 * 100 * 100 * 2 / 3600"})


def test_it_calls_natively_where_tools_are_offered_so():
    (call,) = calls_in(ScriptedModel().chat(_asked("You are the safecracker."), [OFFER]))

    assert (call.tool, call.id) == ("calculator", "call_calculator")


@pytest.mark.parametrize("about", ["You are the planner.", "You are the driver.", "You are somebody."])
def test_it_does_not_call_what_is_not_in_its_part(about):
    assert parse(ScriptedModel().chat(_asked(about, CALCULATOR)).text) == []


def test_it_does_not_call_what_it_is_not_offered():
    assert parse(ScriptedModel().chat(_asked("You are the safecracker.")).text) == []


def test_it_says_what_its_tool_said_and_still_what_it_is():
    model = ScriptedModel()
    asked = _asked("You are the safecracker.", CALCULATOR)
    model.chat(asked)

    said = model.chat([*asked, RESULT]).text

    assert said.startswith(NOTICE)
    assert said.endswith("My tool says: 555.5")


def test_the_part_is_that_of_whom_the_prompt_names_first():
    about = "You are the Technical Security Expert. Help the planner and the safecracker."

    assert "Cameras are mine" in ScriptedModel().chat(_asked(about)).text


def test_two_sessions_are_the_same():
    def session() -> str:
        model = ScriptedModel()
        return json.dumps(
            [model.chat(_asked(f"You are the {who}.")).text for who in ("planner", "driver") * 3]
        )

    assert session() == session()


def test_a_tool_that_may_not_be_called_is_not():
    tool = {"type": "function", "function": {"name": "calculator"}}
    messages = [{"role": "system", "content": "You are the safecracker."}]

    assert ScriptedModel().chat(messages, [tool], tool_choice="none").calls == ()
    assert ScriptedModel().chat(messages, [tool]).calls != ()
