"""Django's command line, on the embedded parts unless DATABASE_URL and REDIS_URL are set."""

import os
import sys

from django.core.management import execute_from_command_line
from django.db import OperationalError

from config import env
from config.embedded import liveness


def main() -> int:
    """Run a command; say how to start the embedded PostgreSQL when it does not run."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")
    try:
        execute_from_command_line(sys.argv)
    except OperationalError:
        environment = env.load()
        if environment.database_url or liveness.postgres_running(environment.toolroster_home):
            raise
        sys.stderr.write(
            "The embedded PostgreSQL is not running. Start it with `make run` or "
            "`python -m config.embedded start`, or set DATABASE_URL.\n"
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
