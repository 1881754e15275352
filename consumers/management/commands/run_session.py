"""Let a team of agents talk, and keep the session."""

import json
import logging
import os
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from consumers.models import AgentSession
from consumers.services import session_calls, sessions
from consumers.services.memories import DatabaseMemory, Reading
from consumers.services.sessions import DatabaseLog
from consumers.services.storing import let_go
from oauth.principal import Principal
from registry import conf
from registry.management import named
from toolroster.agents.config import TeamConfig, load
from toolroster.agents.llm import LLM
from toolroster.agents.openai_compatible import ANSWER_SECONDS
from toolroster.agents.orchestrator import OrchestratorWithDiscovery, Parts, model_of, summarizer_of
from toolroster.agents.scripted import ScriptedModel
from toolroster.agents.tool_loop import CallMade
from toolroster.errors import ToolrosterError

MOST_TURNS = 1000
_KINDS = (".md", ".json")


class Command(BaseCommand):
    """`manage.py run_session CONFIG [--turns N] [--scripted] [--export FILE]`."""

    help = (
        "Let a team of agents talk in turns. The model is that of CONFIG, else that of LLM_BASE_URL, else a "
        "scripted one that says that it is one."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take which team, and how it talks."""
        parser.add_argument("config", type=Path, help="YAML or JSON, as demo/agents_config.yaml")
        parser.add_argument("--turns", type=int, metavar="N", help="turns; as configured if not given")
        parser.add_argument("--scripted", action="store_true", help="use the scripted model in any case")
        parser.add_argument("--export", type=Path, metavar="FILE", help="write the session: .md or .json")
        parser.add_argument("--application", metavar="NAME", help="the OAuth client that it belongs to")
        parser.add_argument("--discovery", metavar="URL", help="another registry than this one")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the session, print it as it goes, and export it."""
        turns, target = options["turns"], options["export"]
        if turns is not None and not 1 <= turns <= MOST_TURNS:
            raise CommandError(f"--turns is 1 to {MOST_TURNS}.")
        if target is not None and target.suffix not in _KINDS:
            raise CommandError("--export is a file that ends in .md or .json.")
        if target is not None:
            _check_writable(target)
        logging.getLogger("toolroster.agent").setLevel(logging.WARNING)  # discovery is printed
        try:
            session_id = self._run(options)
        except ToolrosterError as error:
            said = [error.detail, *(f"  {fault.pointer}: {fault.detail}" for fault in error.errors)]
            raise CommandError("\n".join(said)) from error
        self.stdout.write(f"\nSession {session_id} is kept.")
        if target is not None:
            _export(session_id, target)
            self.stdout.write(f"Wrote {target}.")

    def _run(self, options: dict[str, Any]) -> str:
        url = (options["discovery"] or settings.PUBLIC_URL).rstrip("/")
        owner = _owner(options["application"])
        is_ours = url == settings.PUBLIC_URL
        schemas = session_calls.of_registry if is_ours else session_calls.elsewhere
        log = DatabaseLog(owner.application_id, schemas)
        parts = self._parts(options, owner, log)
        session_id = str(uuid4())
        let_go()
        with OrchestratorWithDiscovery(options["config"], url, parts=parts, session_id=session_id) as team:
            try:
                team.run(options["turns"])
            except BaseException as error:  # whatever it was, a session that is over does not last
                log.break_off(session_id, _why(error), now=timezone.now())
                raise
        return session_id

    def _parts(self, options: dict[str, Any], owner: Principal, log: DatabaseLog) -> Parts:
        config = load(options["config"])
        llm = _model(config, is_scripted=options["scripted"])
        return Parts(
            say=self.stdout.write,
            llm=llm,
            memory=None if config.services.memory else _memory(config, llm, owner),
            log=log,
            environment=_environment(),
            redact=_redaction(log.schemas),
        )


def _environment() -> dict[str, str]:
    """Return where secrets are found; they are for this platform unless the environment says another one."""
    return {"TOOLROSTER_URL": settings.PUBLIC_URL, **os.environ, "TOOLROSTER_HOME": str(settings.HOME)}


def _check_writable(target: Path) -> None:
    """Refuse what cannot be written before there is something to write; a file that was there stays."""
    is_new = not target.exists()
    with _as_command_error(target), target.open("a", encoding="utf-8"):
        pass
    if is_new:
        target.unlink()


@contextmanager
def _as_command_error(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise CommandError(f"--export cannot write {target}: {error.strerror}.") from error


def _why(error: BaseException) -> str:
    if isinstance(error, KeyboardInterrupt):
        return "It was interrupted."
    return f"It broke: {type(error).__name__}."


def _redaction(schemas: Callable[[str], Sequence[session_calls.Schemas]]) -> Callable[[CallMade], CallMade]:
    """Return what leaves of a call what may be printed: as much as is kept of it."""

    def redact(call: CallMade) -> CallMade:
        shown = session_calls.recordable(call, schemas(call.tool))
        let_go()
        return shown

    return redact


def _owner(name: str | None) -> Principal:
    """Return to whom a session belongs: a client, or nobody in particular, as what is anonymous is."""
    if name is None:
        return Principal(None, None, frozenset({"tools:admin"}), frozenset())
    return Principal(named.client(name).pk, None, frozenset(), frozenset())


def _model(config: TeamConfig, *, is_scripted: bool) -> LLM:
    if is_scripted:
        return ScriptedModel()
    if config.llm is not None:
        return model_of(config, os.environ)
    return conf.llm(seconds=ANSWER_SECONDS) or ScriptedModel()


def _memory(config: TeamConfig, llm: LLM, owner: Principal) -> DatabaseMemory:
    reading = Reading(owner, config.memory.recent, summarizer_of(llm, config))
    return DatabaseMemory(reading, timezone.now)


def _export(session_id: str, target: Path) -> None:
    row = AgentSession.objects.get(session_id=session_id)
    if target.suffix == ".md":
        content = sessions.as_markdown(row)
    else:
        content = json.dumps(sessions.as_json(row), ensure_ascii=False, indent=2) + "\n"
    with _as_command_error(target):
        target.write_text(content, encoding="utf-8")
