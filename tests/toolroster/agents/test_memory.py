"""The memory of a session."""

from collections.abc import Sequence

from toolroster.agents.compression import Statement
from toolroster.agents.memory import Memory


class Counting:
    """A summarizer that says how many messages it was given."""

    def __init__(self) -> None:
        self.times = 0

    def summarize(self, said: Sequence[Statement]) -> str:
        if said:
            self.times += 1
        return f"{len(said)} older" if said else ""


def _filled(memory: Memory, turns: int = 5) -> Memory:
    for turn in range(1, turns + 1):
        memory.store_memory("hacker", turn, f"message {turn}", "s1")
    return memory


def test_the_last_messages_stay_as_they_are_and_older_ones_are_summarized():
    memory = _filled(Memory(recent=2, summarizer=Counting())).get_compressed_memory("hacker", "s1")

    assert [one.message for one in memory.recent] == ["message 4", "message 5"]
    assert (memory.summary, memory.total) == ("3 older", 5)
    assert str(memory) == "3 older\n[4] hacker: message 4\n[5] hacker: message 5"


def test_memory_is_of_one_agent_in_one_session():
    memory = _filled(Memory(), 1)
    memory.store_memory("driver", 2, "of the driver", "s1")
    memory.store_memory("hacker", 1, "of another session", "s2")

    own = memory.get_compressed_memory("hacker", "s1")

    assert [one.message for one in own.recent] == ["message 1"]


def test_a_turn_stored_twice_is_remembered_once():
    memory = _filled(_filled(Memory(), 1), 1)

    assert memory.get_compressed_memory("hacker", "s1").total == 1


def test_the_same_messages_are_summarized_once():
    counting = Counting()
    memory = _filled(Memory(recent=2, summarizer=counting))

    memory.get_compressed_memory("hacker", "s1")
    memory.get_compressed_memory("hacker", "s1")
    assert counting.times == 1
    memory.store_memory("hacker", 6, "message 6", "s1")
    assert memory.get_compressed_memory("hacker", "s1").summary == "4 older"


def test_a_forgotten_session_is_empty():
    memory = _filled(Memory(recent=1))
    memory.get_compressed_memory("hacker", "s1")

    memory.forget("s1")

    assert str(memory.get_compressed_memory("hacker", "s1")) == ""
