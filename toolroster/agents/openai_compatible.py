"""Ask any OpenAI-compatible server: LM Studio, Ollama, vLLM, llama.cpp, or a vendor."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import httpx

from toolroster.agents.llm import Message, NativeCall, Reply, ToolChoice, Usage, without_thinking
from toolroster.errors import (
    DocumentInvalid,
    PermissionMissing,
    ToolrosterError,
    Unauthenticated,
    Unavailable,
)
from toolroster.messages import Answer, Call
from toolroster.oauth.challenge import is_bearer_token
from toolroster.wire import Wire

API_KEY = "TOOLROSTER_LLM_API_KEY"
"""The environment variable that holds the server's key."""
ANSWER_SECONDS = 120.0
"""A model on a laptop writes a few words a second."""
MOST_BYTES = 4 * 1024 * 1024
_PEER = "LLM server"
_LONGEST_SAID = 500
_WIRE = Wire(timeout_seconds=ANSWER_SECONDS, pauses_seconds=(1.0,), most_bytes=MOST_BYTES, peer=_PEER)


@dataclass(frozen=True)
class OpenAICompatible:
    """A model behind `{base_url}/chat/completions`; `base_url` is as LM Studio's `http://localhost:1234/v1`.

    None for `temperature` and `max_tokens` leaves them to the server. `wire` bounds time, size and attempts.
    """

    base_url: str
    model: str
    api_key: str = field(default="", repr=False)
    _: KW_ONLY
    temperature: float | None = None
    max_tokens: int | None = None
    wire: Wire = field(default=_WIRE, repr=False)
    key_variable: str = API_KEY
    """Where the key comes from, for those who are told that it is wrong."""

    def __post_init__(self) -> None:
        if self.api_key and not is_bearer_token(self.api_key):
            said = "is malformed; it has no blanks and no line breaks."
            raise DocumentInvalid(f"The key in {self.key_variable} {said}")
        try:
            url = httpx.URL(self.base_url)
        except httpx.InvalidURL as error:
            raise DocumentInvalid(f"{self.base_url[:200]!r} is no address: {error}.") from error
        if url.scheme not in {"http", "https"} or not url.host or url.userinfo:
            raise DocumentInvalid("`base_url` is http(s)://host[:port]/v1, without user and password.")

    def chat(
        self,
        messages: Sequence[Message],
        tools: Sequence[dict[str, Any]] | None = None,
        *,
        tool_choice: ToolChoice = "auto",
    ) -> Reply:
        """Answer a conversation.

        Raises:
            Unavailable: the server does not answer, or not in time, or what makes no sense.
            Unauthenticated, PermissionMissing: the key is none of this server's, or not for this model.
            DocumentInvalid: the server takes the request for wrong: the model's name, or too long a prompt.
        """
        headers = {"Authorization": f"Bearer {self.api_key}"} if self.api_key else {}
        url = httpx.URL(f"{self.base_url.rstrip('/')}/chat/completions")
        request = self._request(messages, tools)
        if tools and tool_choice != "auto":
            request["tool_choice"] = tool_choice
        try:
            answer = self.wire.send(Call(url, headers=headers, json=request))
        except Unavailable as error:
            raise self._away(error) from error
        if answer.status != httpx.codes.OK:
            raise self._refusal(answer)
        return _reply(answer.document(), fallback_id=f"call_{len(messages)}")

    def _request(self, messages: Sequence[Message], tools: Sequence[dict[str, Any]] | None) -> dict[str, Any]:
        wanted = {
            "model": self.model,
            "messages": joined(messages),
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "tools": list(tools) if tools else None,  # an empty list is refused by some servers
        }
        return {name: value for name, value in wanted.items() if value is not None}

    def _away(self, error: Unavailable) -> Unavailable:
        advice = f"Start it with the model {self.model!r}, or correct the address: {self.base_url}"
        return Unavailable(f"{error.detail} {advice}", retry_after_seconds=error.retry_after_seconds)

    def _refusal(self, answer: Answer) -> ToolrosterError:
        said = _said(answer)
        if self.api_key:  # before it is cut: some servers repeat the key, and a part of it is one too
            said = said.replace(self.api_key, "[key]")
        said, model = said[:_LONGEST_SAID], self.model
        if answer.status == httpx.codes.UNAUTHORIZED:
            return Unauthenticated(f"The {_PEER} wants another key ({said}); set {self.key_variable}.")
        if answer.status == httpx.codes.FORBIDDEN:
            return PermissionMissing(f"The {_PEER} does not give {model!r} to this key: {said}")
        return DocumentInvalid(f"The {_PEER} refuses the request for {model!r} ({answer.status}): {said}")


def joined(messages: Iterable[Message]) -> list[Message]:
    """Return messages with neighbours of one role as one: templates of some models refuse two in a row."""
    found: list[Message] = []
    for one in messages:
        if found and _is_joinable(found[-1], one):
            found[-1] = {**one, "content": f"{found[-1]['content']}\n\n{one['content']}"}
        else:
            found.append(one)
    return found


def _is_joinable(first: Message, second: Message) -> bool:
    is_one_role = first["role"] == second["role"] != "tool"
    return is_one_role and _is_text(first) and _is_text(second)


def _is_text(message: Message) -> bool:
    return message.keys() == {"role", "content"} and isinstance(message["content"], str)


def _said(answer: Answer) -> str:
    """Return what an error says, as OpenAI writes it or as it is."""
    try:
        told = answer.document().get("error")
    except Unavailable:
        return answer.body.decode(errors="replace").strip() or "it says nothing"
    message = told.get("message") if isinstance(told, dict) else told
    return str(message)


def _reply(document: Mapping[str, Any], *, fallback_id: str) -> Reply:
    try:
        message = document["choices"][0]["message"]
        calls = tuple(_calls(message.get("tool_calls") or (), fallback_id))
        text = message.get("content") or ""
    except (LookupError, TypeError, AttributeError) as error:
        raise Unavailable(f"The {_PEER}'s answer holds no message.") from error
    if not isinstance(text, str):
        raise Unavailable(f"The {_PEER}'s answer is no text.")
    return Reply(without_thinking(text), calls, _usage(document.get("usage")))


def _calls(told: Iterable[Any], fallback_id: str) -> Iterable[NativeCall]:
    """Give the calls; one without an id gets one that no earlier answer of the conversation has."""
    for place, one in enumerate(told):
        function = one["function"]
        arguments = function.get("arguments") or "{}"
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        yield NativeCall(str(one.get("id") or f"{fallback_id}_{place}"), str(function["name"]), text)


def _usage(told: Any) -> Usage:
    said = told if isinstance(told, dict) else {}
    counts = (said.get(name) for name in ("prompt_tokens", "completion_tokens"))
    return Usage(*(one if isinstance(one, int) else 0 for one in counts))
