"""`python -m demo seed_000 --registry http://localhost:8006 --port 8002`: run one demo service.

With `--note`, the file that `make run` writes, the service registers with an OAuth client of its own and
checks the tokens of its callers.
"""

import argparse
import importlib
import json
import logging
import socket
from pathlib import Path
from typing import Any

from toolroster import Access, Provider
from toolroster.oauth import TokenChecker

_CHECKER = "demo-tools"
"""The client that asks the registry about tokens."""


def main() -> None:
    """Serve one seed's tools until SIGTERM or SIGINT."""
    parser = argparse.ArgumentParser(prog="python -m demo", description=main.__doc__)
    parser.add_argument("seed", choices=["seed_000", "seed_004"])
    parser.add_argument("--registry", default="http://localhost:8006")
    parser.add_argument("--port", type=int, default=0, help="0 or a taken one: any free port")
    parser.add_argument("--note", type=Path, help="demo.json with the clients of the demo")
    chosen = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    for noisy in ("httpx", "httpcore"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    seed = importlib.import_module(f"demo.{chosen.seed}")
    clients = _clients(chosen.note)
    provider = Provider(chosen.registry, seed, name=seed.PROVIDER, access=_access(clients.get(seed.CLIENT)))
    port = _free(chosen.port)
    checker = _checker(clients.get(_CHECKER), chosen.registry, _base_url(chosen.note), port)
    provider.serve(port, checker=checker, is_open=checker is None)


def _free(port: int) -> int:
    """Return the port, any other if it is taken."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return _free(0)
        return int(probe.getsockname()[1])


def _clients(note: Path | None) -> dict[str | None, dict[str, Any]]:
    if note is None:
        return {}
    return {client["name"]: client for client in json.loads(note.read_text())["clients"]}


def _base_url(note: Path | None) -> str | None:
    return None if note is None else str(json.loads(note.read_text())["base_url"])


def _access(client: dict[str, Any] | None) -> Access:
    return Access(client["client_id"], client["client_secret"]) if client else Access()


def _checker(
    client: dict[str, Any] | None, registry: str, base_url: str | None, port: int
) -> TokenChecker | None:
    if client is None:
        return None
    # Tokens are for this service, or for the registry under the address that its users know.
    return TokenChecker(
        f"{registry}/introspect",
        client["client_id"],
        client["client_secret"],
        audience=f"http://localhost:{port}",
        registry_audience=base_url,
    )


if __name__ == "__main__":
    main()
