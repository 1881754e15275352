"""Measure how good search is: on data sets, or on this registry with requests of your own."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from oauth.principal import everything
from registry import conf
from registry.search import embedders
from registry.search.embedders import Embedder
from registry.search.evaluation import datasets, live, report, scoring
from registry.search.evaluation.remembered import Remembered
from registry.search.evaluation.scoring import Measurement
from registry.services import catalogue, leases, spaces
from registry.services.catalogue import Filters
from toolroster.errors import ToolrosterError


class Command(BaseCommand):
    """`manage.py evaluate_search FOLDER …`, or `--queries FILE` for the tools of this registry."""

    help = (
        "Print nDCG@10, recall and MRR with 95 % confidence intervals. A folder holds tools.jsonl and "
        "queries.jsonl, or folders that do; --queries asks this registry. Exit code 1: below the baseline."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take what to measure, and what to compare with."""
        parser.add_argument("folders", nargs="*", type=Path, metavar="folder")
        parser.add_argument("--queries", type=Path, help="JSON lines {text, gold: [tool], lang}")
        parser.add_argument("--most", type=int, default=1_000_000, help="requests of a set at the most")
        parser.add_argument("--words", action="store_true", help="words alone, without a model")
        parser.add_argument("--baseline", type=Path, help="compare with it, and fail where nDCG fell")
        parser.add_argument("--write-baseline", type=Path, help="store what was measured")
        parser.add_argument("--json", action="store_true", help="print JSON instead of a table")

    def handle(self, *args: Any, **options: Any) -> None:
        """Measure, print, compare."""
        if not options["folders"] and not options["queries"]:
            raise CommandError("Name folders with data sets, or --queries FILE.")
        try:
            baseline = report.read_baseline(options["baseline"]) if options["baseline"] else {}
            rows = [*self._of_folders(options), *self._of_registry(options["queries"])]
        except ToolrosterError as error:
            raise CommandError(error.detail) from error
        found = report.as_json(rows)
        if options["write_baseline"]:
            options["write_baseline"].write_text(json.dumps(found, indent=1) + "\n")
        self.stdout.write(json.dumps(found) if options["json"] else report.markdown(rows, baseline))
        if worse := report.worse(rows, baseline):
            raise CommandError("\n".join(worse))

    def _of_folders(self, options: dict[str, Any]) -> list[Measurement]:
        models = [] if options["words"] else self._embedders()
        rows: list[Measurement] = []
        for folder in _data_sets(options["folders"]):
            for variant in datasets.load(folder).sampled(options["most"]).variants():
                self.stderr.write(f"{variant.name}: {len(variant.requests)} requests")
                rows += scoring.measure(variant, models)
        return rows

    def _of_registry(self, queries: Path | None) -> list[Measurement]:
        if queries is None:
            return []
        rows = datasets.read_jsonl(queries, needs=("text", "gold"))
        seen = leases.recent.at(now=timezone.now(), policy=conf.lease_policy())
        visible = catalogue.available(Filters(), principal=everything(), cutoff=seen.cutoff)
        spellings = live.spellings_of(visible)
        requests = live.in_one_spelling(
            [one for one in map(datasets.request_of, rows) if one.gains], spellings
        )
        in_use = spaces.all_in_use(conf.wanted_embeddings())
        ranked = live.rank(requests, visible=visible, spaces=in_use, say=self._progress)
        return scoring.of_rankings(queries.stem, len(set(spellings.values())), requests, ranked)

    def _embedders(self) -> list[Embedder]:
        """Return the models that search would use, remembering what they embedded before."""
        settings.HOME.mkdir(parents=True, exist_ok=True)
        loaded = [embedders.load(one.backend, one.model, one.options) for one in conf.wanted_embeddings()]
        store = settings.HOME / "evaluation.sqlite3"
        return [Remembered(one, store, say=self._progress) for one in loaded if one is not None]

    def _progress(self, done: int, of: int) -> None:
        self.stderr.write(f"\r{done:,} of {of:,}", ending="\n" if done == of else "")
        self.stderr.flush()


def _data_sets(folders: list[Path]) -> list[Path]:
    """Return the folders that hold a data set, or those below them that do."""
    found: list[Path] = []
    for folder in folders:
        inside = [folder] if (folder / "queries.jsonl").exists() else datasets.find(folder)
        if not inside:
            raise CommandError(f"{folder} holds no data set: tools.jsonl and queries.jsonl.")
        found += inside
    return found
