"""What all tests share: embedded servers of their own, and fresh views of tokens and leases."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

# Before Django reads its settings: these tests never touch the data of `make run`.
_HOME = Path(tempfile.mkdtemp(prefix="toolroster-tests-"))
os.environ["TOOLROSTER_HOME"] = str(_HOME)
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.test"
for _name in ("DATABASE_URL", "REDIS_URL"):
    if _given := os.environ.get(f"TEST_{_name}"):
        os.environ[_name] = _given
    else:
        os.environ.pop(_name, None)

import django  # noqa: E402 - the environment comes first
import pytest  # noqa: E402

from config.embedded import servers  # noqa: E402


def pytest_configure(config: pytest.Config) -> None:
    servers.start(_HOME)
    django.setup()


def pytest_unconfigure(config: pytest.Config) -> None:
    servers.stop(_HOME)
    shutil.rmtree(_HOME, ignore_errors=True)


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> Iterator[None]:
    """Give back the connections of the router's threads, or the test database could not be dropped."""
    yield
    from django.db import connections  # noqa: PLC0415 - Django is not set up yet above

    from consumers import conf  # noqa: PLC0415

    conf.call_log().close()
    conf.threads().close(connections.close_all)


@pytest.fixture(autouse=True)
def _fresh_views() -> None:
    from oauth import tokens  # noqa: PLC0415 - Django is not set up yet above
    from registry.search import ann, memory, words  # noqa: PLC0415
    from registry.services import generations, kept, leases  # noqa: PLC0415

    tokens.forget()
    leases.recent.forget()
    words.corpus.forget()
    memory.memory.forget()
    ann.ready.forget()
    generations.shared.forget()
    kept.answers.forget()
