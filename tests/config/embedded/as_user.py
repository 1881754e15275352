"""Act as another user: `as_user.py UID connect URL` or `as_user.py UID embedded ARGUMENTS…`.

Imports before it gives up root, since that user may not be able to read Python's own folder.
"""

import encodings.ascii
import encodings.idna  # noqa: F401 - both are loaded on first use otherwise
import os
import sys

import psycopg
import redis

from config.embedded import __main__ as embedded


def connect(url: str) -> int:
    try:
        if url.startswith("unix:"):
            redis.Redis.from_url(url).ping()
        else:
            psycopg.connect(url).close()
    except (psycopg.Error, redis.RedisError) as error:
        sys.stderr.write(str(error))
        return 1
    return 0


def main(uid: int, action: str, arguments: list[str]) -> int:
    os.setgroups([])
    os.setgid(uid)
    os.setuid(uid)
    return connect(*arguments) if action == "connect" else embedded.main(arguments)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2], sys.argv[3:]))
