"""Ask the web process of this container whether it lives; exit with 0 or 1.

The request carries PUBLIC_URL's host, since Django refuses names that ALLOWED_HOSTS lacks.
"""

import os
import sys
import urllib.request
from urllib.parse import urlsplit

TIMEOUT_SECONDS = 4


def is_live(port: int, public_url: str) -> bool:
    """Tell whether `GET /health/live` is answered with 200."""
    host = urlsplit(public_url).netloc
    request = urllib.request.Request(f"http://127.0.0.1:{port}/health/live", headers={"Host": host})
    # An opener of its own: HTTP_PROXY of the environment is not meant for a container's own port.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=TIMEOUT_SECONDS) as answer:
            return bool(answer.status == 200)
    except OSError as error:
        sys.stderr.write(f"{error}\n")
        return False


if __name__ == "__main__":
    sys.exit(0 if is_live(int(os.environ["GRANIAN_PORT"]), os.environ["PUBLIC_URL"]) else 1)
