"""`manage.py evaluate_search`: tables, baselines, and this registry's own requests."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.factories import make_registration
from tests.registry.search.evaluation.test_evaluation import write

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(tmp_path) -> Path:
    return write(tmp_path / "office")


def evaluate(*arguments: object) -> str:
    out = StringIO()
    call_command("evaluate_search", *map(str, arguments), stdout=out, stderr=StringIO())
    return out.getvalue()


def test_a_table_has_a_row_for_each_set(folder):
    said = evaluate(folder.parent)

    assert "| office (no examples) | 3 | 2 |" in said
    assert "| office | 3 | 2 |" in said


def test_a_baseline_is_written_and_compared_with(folder, tmp_path):
    stored = tmp_path / "baseline.json"
    evaluate(folder, "--write-baseline", stored, "--words")
    assert "| +0.0 |" in evaluate(folder, "--baseline", stored, "--words")

    raised = json.loads(stored.read_text())
    raised["office"]["nDCG@10"]["mean"] += 2
    stored.write_text(json.dumps(raised))

    with pytest.raises(CommandError, match=r"office: nDCG@10 is 2\.0 points below the baseline"):
        evaluate(folder, "--baseline", stored, "--words")


def test_json_is_for_machines(folder):
    assert json.loads(evaluate(folder, "--json"))["office"]["requests"] == 2


def test_this_registry_is_asked_with_requests_of_its_own(tmp_path):
    make_registration()
    make_registration(name="draw_picture", description="Draw a picture.")
    queries = tmp_path / "mine.jsonl"
    golds = (["send_email"], ["mail-team/send_email"], ["mail-team:send_email:1.0.0"])
    queries.write_text("\n".join(json.dumps({"text": "an email", "gold": gold}) for gold in golds))

    found = json.loads(evaluate("--queries", queries, "--json"))

    assert found["mine"]["Recall@1"]["mean"] == 100
    assert (found["mine"]["tools"], found["mine"]["requests"]) == (2, 3)


@pytest.mark.parametrize(
    ("gold", "said"),
    [("nobody", "There is no tool nobody here"), ("send_email", "There is no tool send_email")],
)
def test_a_request_for_a_tool_that_is_not_here_or_not_one_is_refused(tmp_path, gold, said):
    for provider in ("mail-team", "post"):  # the bare name is nobody's
        make_registration(provider=provider)
    (tmp_path / "q.jsonl").write_text(json.dumps({"text": "x", "gold": [gold]}))

    with pytest.raises(CommandError, match=said):
        evaluate("--queries", tmp_path / "q.jsonl")


def test_nothing_to_measure_is_said(tmp_path):
    with pytest.raises(CommandError, match="Name folders"):
        evaluate()
    with pytest.raises(CommandError, match="holds no data set"):
        evaluate(tmp_path)
