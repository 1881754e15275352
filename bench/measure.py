"""Measure variants side by side: shuffled inside each round, CPU of both processes, medians over rounds."""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Protocol

_BLOCK_SECONDS = 0.3
"""How long one variant is measured in one round, unless one call takes longer."""
_MOST_CALLS = 2000


class Backend(Protocol):
    """The server process behind the connection, as far as it is measured."""

    def cpu_ns(self) -> int:
        """Return the CPU time that the process has used."""

    def wal_bytes(self) -> int:
        """Return how much WAL the server has written, whoever caused it."""

    def queries(self, act: Callable[[], object]) -> int:
        """Act, and return how many statements that took, without BEGIN and COMMIT."""


class NoBackend:
    """Stands in where no database is asked."""

    def cpu_ns(self) -> int:
        return 0

    def wal_bytes(self) -> int:
        return 0

    def queries(self, act: Callable[[], object]) -> int:
        act()
        return 0


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to do a piece of work.

    `act` does `units` units of it. `prepare` goes before each `act` and is not measured. `against` is the
    name of the variant that this one is compared with, "" for none.
    """

    name: str
    act: Callable[[], object]
    units: int = 1
    against: str = ""
    prepare: Callable[[], object] | None = None


@dataclass(frozen=True, slots=True)
class Sample:
    """The cost of one unit in one round: microseconds, and bytes of WAL."""

    client_us: float
    server_us: float
    wall_us: float
    wal_bytes: float

    @property
    def cpu_us(self) -> float:
        return self.client_us + self.server_us


@dataclass(slots=True)
class Measured:
    """A variant, how many calls make a sample, the statements of one call, and a sample a round."""

    variant: Variant
    calls: int
    queries: int
    samples: list[Sample] = field(default_factory=list)

    def median(self, name: str) -> float:
        """Return the median of one member of the samples."""
        return median(float(getattr(sample, name)) for sample in self.samples)


def ratios(name: str, *, yardstick: Measured, measured: Measured) -> list[float]:
    """Return, a round, how many times the yardstick's cost is the variant's."""
    pairs = zip(yardstick.samples, measured.samples, strict=True)
    return [getattr(one, name) / max(getattr(other, name), 1e-9) for one, other in pairs]


def run(
    variants: Sequence[Variant], *, rounds: int, backend: Backend, say: Callable[[str], None]
) -> list[Measured]:
    """Warm every variant up, then measure all of them once a round, in an order of its own."""
    found = [_warm_up(variant, backend) for variant in variants]
    shuffled = list(found)
    order = random.Random(rounds)  # noqa: S311 - the same order in each run of as many rounds
    for number in range(1, rounds + 1):
        order.shuffle(shuffled)
        for measured in shuffled:
            measured.samples.append(sample(measured.variant, measured.calls, backend))
        say(f"  round {number} of {rounds}")
    return found


def _warm_up(variant: Variant, backend: Backend) -> Measured:
    _prepare(variant)
    variant.act()
    _prepare(variant)
    queries = backend.queries(variant.act)
    _prepare(variant)
    begun = time.perf_counter()
    variant.act()
    calls = int(_BLOCK_SECONDS / max(time.perf_counter() - begun, 1e-9))
    return Measured(variant, min(max(calls, 1), _MOST_CALLS), queries)


def _prepare(variant: Variant) -> None:
    if variant.prepare is not None:
        variant.prepare()


def sample(variant: Variant, calls: int, backend: Backend) -> Sample:
    """Measure `calls` calls: in one block, or each for itself where each is prepared."""
    blocks, size = (1, calls) if variant.prepare is None else (calls, 1)
    costs = [_block(variant, size, backend) for _ in range(blocks)]
    units = calls * variant.units
    client, server, wall, wal = (sum(column) / units for column in zip(*costs, strict=True))
    return Sample(client / 1000, server / 1000, wall / 1000, wal)


def _block(variant: Variant, calls: int, backend: Backend) -> tuple[int, int, int, int]:
    """Return client CPU, server CPU and wall time in nanoseconds, and WAL bytes."""
    _prepare(variant)
    act = variant.act
    wal = backend.wal_bytes()
    time.sleep(0.002)  # let the server finish what follows its last answer, before and after
    server, client, wall = backend.cpu_ns(), time.process_time_ns(), time.perf_counter_ns()
    for _ in range(calls):
        act()
    client, wall = time.process_time_ns() - client, time.perf_counter_ns() - wall
    time.sleep(0.002)
    server = backend.cpu_ns() - server
    return client, server, wall, backend.wal_bytes() - wal
