"""The platform's settings with the yardsticks' addresses."""

from config.settings.dev import *  # noqa: F403 - all of them

ROOT_URLCONF = "bench.web.urls"
