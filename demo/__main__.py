"""`python -m demo seed_000 --registry http://localhost:8006 --port 8002`: run one demo service."""

import argparse
import importlib
import logging

from demo.service import Service


def main() -> None:
    """Serve one seed's tools until SIGTERM or SIGINT."""
    parser = argparse.ArgumentParser(prog="python -m demo", description=main.__doc__)
    parser.add_argument("seed", choices=["seed_000", "seed_004"])
    parser.add_argument("--registry", default="http://localhost:8006")
    parser.add_argument("--port", type=int, default=0, help="0 or a taken one: any free port")
    chosen = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)
    tools = importlib.import_module(f"demo.{chosen.seed}").TOOLS
    Service(tools, registry_url=chosen.registry, name=chosen.seed, port=chosen.port).run()


if __name__ == "__main__":
    main()
