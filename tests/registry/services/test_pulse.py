"""Signs of life of the background processes."""

import pytest
from redis.exceptions import RedisError

from registry.services import pulse
from tests.factories import at

DEAD = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": "redis://127.0.0.1:1/0",
        "OPTIONS": {"socket_connect_timeout": 1},
    }
}


@pytest.mark.parametrize(("seconds", "is_alive"), [(0, True), (44, True), (45, False), (3600, False)])
def test_a_part_is_alive_for_a_while_after_its_sign(seconds, is_alive):
    pulse.note("part-a", now=at(0))

    assert pulse.is_alive("part-a", now=at(seconds)) == is_alive


def test_a_part_without_a_sign_is_not_alive():
    assert not pulse.is_alive("part-b", now=at(0))


def test_with_the_cache_down_nothing_is_noted_and_the_question_fails(settings, caplog):
    settings.CACHES = DEAD

    pulse.note("part-c", now=at(0))

    assert "cannot note a pulse" in caplog.text
    with pytest.raises(RedisError):
        pulse.is_alive("part-c", now=at(0))
