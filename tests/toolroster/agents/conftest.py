"""The bank of seeds/000, as the tests of agents and teams meet it."""

from collections.abc import Iterator

import pytest

from tests.toolroster.agents.servers import BankServer


@pytest.fixture(scope="module")
def running_bank() -> Iterator[BankServer]:
    with BankServer().running() as server:
        yield server


@pytest.fixture
def bank(running_bank: BankServer) -> BankServer:
    return running_bank.fresh()
