"""What agents remember: stored by turn, read back compressed, for those who wrote it."""

import threading
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import connection

from consumers.models import AgentMemory, MemorySummary
from consumers.services import memories
from consumers.services.memories import DatabaseMemory, Reading
from oauth.principal import Principal
from tests.consumers.sessions.events import Counting
from tests.factories import NOW, make_application, make_principal
from tests.racing import at_once, in_background
from toolroster.errors import Conflict

pytestmark = pytest.mark.django_db
DEVELOPER = make_principal(scopes=["tools:admin"])


def store(turn_id, message="", *, application=None, session_id="s1", agent_id="hacker"):
    memories.store(
        agent_id=agent_id,
        turn_id=turn_id,
        message=message or f"message {turn_id}",
        session_id=session_id,
        principal=make_principal(application=application) if application else DEVELOPER,
        now=NOW,
    )


def read(principal: Principal = DEVELOPER, *, recent=2, summarizer=None, agent_id="hacker"):
    reading = Reading(principal, recent, summarizer or Counting())
    return memories.compressed(reading, agent_id=agent_id, session_id="s1", now=NOW)


def test_the_last_messages_come_as_they_were_and_the_older_ones_as_a_summary():
    for turn_id in (3, 1, 2, 4):
        store(turn_id)
    summarizer = Counting()

    memory = read(summarizer=summarizer)

    assert [(one.turn_id, one.message) for one in memory.recent] == [(3, "message 3"), (4, "message 4")]
    assert (memory.summary, memory.total) == ("summary 1 of 2", 4)
    assert summarizer.asked == [["message 1", "message 2"]]


def test_few_messages_need_no_summary():
    store(1)
    summarizer = Counting()

    assert (read(summarizer=summarizer).summary, summarizer.asked) == ("", [])
    assert read(agent_id="planner").total == 0


def test_without_a_model_sentences_are_picked():
    for turn_id in range(1, 5):
        store(turn_id, "The code is 4711.")

    memory = memories.compressed(Reading(DEVELOPER, 1), agent_id="hacker", session_id="s1", now=NOW)

    assert memory.summary == "hacker: The code is 4711."


def test_a_summary_is_made_once_for_the_same_older_messages():
    for turn_id in range(1, 5):
        store(turn_id)
    summarizer = Counting()

    assert read(summarizer=summarizer).summary == read(summarizer=summarizer).summary
    assert len(summarizer.asked) == 1


def test_another_older_message_makes_another_summary():
    summarizer = Counting()
    for turn_id in range(1, 5):
        store(turn_id)
    read(summarizer=summarizer)
    store(5)

    assert read(summarizer=summarizer).summary == "summary 2 of 3"
    assert MemorySummary.objects.count() == 1


def test_an_older_message_that_is_replaced_makes_another_summary():
    summarizer = Counting()
    for turn_id in range(1, 5):
        store(turn_id)
    read(summarizer=summarizer)
    store(1, "corrected")

    read(summarizer=summarizer)

    assert summarizer.asked[-1] == ["corrected", "message 2"]


def test_the_same_turn_again_replaces_what_was_said():
    store(1, "first")
    store(1, "second")

    assert [one.message for one in read().recent] == ["second"]


def test_sessions_and_agents_remember_for_themselves():
    store(1)
    store(1, session_id="s2")
    store(1, agent_id="planner")

    assert read().total == 1


def test_applications_and_people_remember_for_themselves():
    mine, other, governing = (make_application(name) for name in ("mine", "other", "governing"))
    store(1, "mine", application=mine)
    store(1, "other", application=other)
    store(2, "nobody's")

    def heard(principal: Principal) -> list[str]:
        return [one.message for one in read(principal, recent=9).recent]

    assert heard(make_principal(application=mine)) == ["mine"]
    assert heard(make_principal(application=other)) == ["other"]
    assert heard(make_principal(application=governing, scopes=["tools:admin"])) == []
    assert heard(replace(make_principal(application=mine), user_id=7)) == []
    assert heard(DEVELOPER) == ["nobody's"]


def test_a_session_holds_so_much_and_no_more(monkeypatch):
    monkeypatch.setattr(memories, "MOST_OF_SESSION", 3)
    for turn_id in range(3):
        store(turn_id)

    store(2, "again")
    with pytest.raises(Conflict):
        store(3)


def test_old_memories_are_forgotten():
    for turn_id in range(1, 5):
        store(turn_id)
    read()

    assert memories.forget(before=NOW) == 0
    assert memories.forget(before=NOW + timedelta(seconds=1)) == 4
    assert read().total == 0


def test_summaries_of_applications_are_their_own():
    mine, other = make_application("mine"), make_application("other")
    for application in (mine, other):
        for turn_id in range(1, 5):
            store(turn_id, f"of {application.name}", application=application)

    summarizer = Counting()
    read(make_principal(application=mine), summarizer=summarizer)
    read(make_principal(application=other), summarizer=summarizer)

    assert summarizer.asked == [["of mine"] * 2, ["of other"] * 2]


def test_a_model_that_says_what_postgresql_does_not_take_is_heard():
    for turn_id in range(1, 5):
        store(turn_id)

    class Strange(Counting):
        def summarize(self, said):
            return "a\0b"

    assert read(summarizer=Strange()).summary == "a\ufffdb"


def test_the_memory_of_a_process_is_the_memory_of_rows():
    memory = DatabaseMemory(Reading(DEVELOPER, 2, Counting()), lambda: NOW)
    for turn_id in range(1, 4):
        memory.store_memory("hacker", turn_id, f"message {turn_id}", "s1")

    assert str(memory.get_compressed_memory("hacker", "s1")) == str(read())
    assert AgentMemory.objects.count() == 3


@pytest.mark.django_db(transaction=True)
def test_no_connection_is_held_while_a_model_summarizes():
    for turn_id in range(1, 5):
        store(turn_id)

    class Looking(Counting):
        def summarize(self, said):
            self.is_free = connection.connection is None
            return super().summarize(said)

    summarizer = Looking()
    assert read(summarizer=summarizer).summary == "summary 1 of 2"
    assert summarizer.is_free


@pytest.mark.django_db(transaction=True)
def test_who_stores_one_turn_at_once_leaves_one_message():
    store(1, "before")

    at_once(*(lambda said=said: store(1, said) for said in ("a", "b", "c", "d")))

    row = AgentMemory.objects.get()
    assert row.message in {"a", "b", "c", "d"}


@pytest.mark.django_db(transaction=True)
def test_two_at_the_most_wait_for_a_model():
    for agent in ("one", "two", "three"):
        for turn_id in range(1, 5):
            store(turn_id, "The code is 4711.", agent_id=agent)
    begun, may_answer = threading.Semaphore(0), threading.Event()

    class Slow(Counting):
        def summarize(self, said):
            begun.release()
            assert may_answer.wait(20)
            return "by the model"

    slow = Slow()
    with (
        in_background(lambda: read(summarizer=slow, agent_id="one").summary) as first,
        in_background(lambda: read(summarizer=slow, agent_id="two").summary) as second,
    ):
        assert begun.acquire(timeout=20)
        assert begun.acquire(timeout=20)
        third = read(summarizer=slow, agent_id="three").summary
        may_answer.set()

    assert third == "three: The code is 4711."
    assert (first.result(), second.result()) == ("by the model", "by the model")
