"""The rendered section: what a reviewer reads, whatever the values are."""

from pathlib import Path
from typing import Any

import pytest

from bot.comment.render import github_length, render_section, template_environment
from bot.comment.sections import Section
from bot.comment.view import CommentInput
from bot.errors import BadInput
from bot.evaluation.report import Report, parse_report
from bot.evaluation.scores import GATED_METRICS
from bot.extraction.taxonomy import VALID_LABELS
from bot.gate.regression import Check
from bot.history.model import RunEntry
from bot.policy.oracle import PolicyResult
from bot.suites import EXTRACTION_QUALITY
from tests.support.github_markdown import read
from tests.support.runs import run_entry
from tests.test_escape import NASTY

ORACLE = "oracle_aligned_expected_json"


def check(metric: str, baseline: float | None, current: float | None) -> dict[str, Any]:
    drop = None if baseline is None or current is None else (baseline - current) * 100
    return {
        "name": f"openai.{metric} regression (pp)",
        "value": drop,
        "limit": 3.0,
        "ok": drop is not None and drop <= 3.0 + 1e-9,
        "current": current,
        "baseline": baseline,
    }


def run_with(checks: list[dict[str, Any]], **changes: Any) -> RunEntry:
    status = "pass" if checks and all(c["ok"] for c in checks) else "fail"
    summary = {"status": status, "checks": checks}
    return run_entry(57, status=status, gate_summary=summary, **changes)


def passing(**changes: Any) -> RunEntry:
    return run_with([check(metric, 1.0, 1.0) for metric in GATED_METRICS], **changes)


def provider(name: str, **changes: Any) -> dict[str, Any]:
    return {
        "provider": name,
        "model": "m",
        "enforcement": "manual",
        "source": "manual_runbook",
        "last_refreshed": "2026-08-01",
        "status": None,
        "staleness": {
            "state": "stale",
            "reasons": ["measured under another prompt"],
            "age_days": 3,
        },
        "metrics": {"recall_macro": 0.8},
    } | changes


def report_with(cases: list[dict[str, Any]]) -> Report:
    raw = {
        "benchmark": "extraction_quality",
        "gold_set": "v1",
        "mode": "cassette",
        "provider": "openai",
        "model": "m",
        "enforcement": "ci",
        "conversation_count": 1,
        "generated_at": "2026-09-06T06:25:31Z",
        "metrics": {},
        "cases": cases,
    }
    return parse_report(raw, "report")


def case(
    number: int = 0, kind: str = "missed", text: str = "User deploys on Friday"
) -> dict[str, Any]:
    memory = {"content": text, "labels": ["behavioral"]}
    return {
        "conversation_id": f"conversation-{number}",
        "turn_index": number,
        "kind": kind,
        "expected": None if kind == "invented" else memory,
        "predicted": None if kind == "missed" else memory,
        "detail": "",
    }


def render(
    run: RunEntry | None, max_chars: int = 65_000, templates: Path | None = None, **more: Any
) -> Section:
    data = CommentInput(words=EXTRACTION_QUALITY.words, run=run, **more)
    return render_section(template_environment(templates), "extraction_quality", data, max_chars)


def test_a_pass_says_so_first() -> None:
    text = render(passing()).text
    assert text.startswith("## ✅ Extraction quality: PASS\n")
    assert "All 14 gated metrics are within 3 points of the baseline." in text


def test_a_fail_names_the_metric_the_fall_and_the_limit_within_the_first_lines() -> None:
    text = render(
        run_with([check("recall_macro", 1.0, 1.0), check("recall_episodic", 1.0, 0.88)])
    ).text
    seen = read("\n".join(text.split("\n")[:6])).text
    assert "❌ Extraction quality: FAIL" in seen
    assert "recall_episodic fell 12.00 points (100.00% → 88.00%, limit 3)" in seen


def test_the_worst_failures_come_first_and_the_rest_is_counted() -> None:
    falls: dict[str, float | None] = {
        "recall_factual": 0.95,
        "recall_episodic": 0.5,
        "recall_macro": 0.9,
    }
    falls |= {"recall_preference": 0.93, "precision_preference": 0.94}
    falls |= {"precision_macro": None, "precision_factual": 0.8}
    text = render(run_with([check(name, 1.0, value) for name, value in falls.items()])).text
    seen = read(text).text
    places = [seen.index(f"{name} ") for name in ("precision_macro", "recall_episodic")]
    assert places == sorted(places)
    assert "precision_macro is not computable" in seen
    assert "and 2 more of 7 checks" in seen


def test_all_fourteen_metrics_stand_with_baseline_change_and_limit() -> None:
    rows = read(render(passing()).text).rows
    metrics = [row for row in rows if row[0] in GATED_METRICS]
    assert [row[0] for row in metrics] == list(GATED_METRICS)
    assert {tuple(cell.strip() for cell in row[1:]) for row in metrics} == {
        ("100.00%", "100.00%", "0.00", "3", "ok")
    }


def test_each_label_has_its_precision_recall_and_f1() -> None:
    metrics = {f"{kind}_{label}": 0.5 for label in VALID_LABELS for kind in ("precision", "recall")}
    rows = read(render(passing(metrics=metrics)).text).rows
    found = {row[0]: row for row in rows if row[0] in VALID_LABELS}
    assert set(found) == set(VALID_LABELS)
    assert found["episodic"][1:4] == ["50.00%", "50.00%", "—"]


def test_manual_numbers_carry_their_label_in_words_and_no_mark() -> None:
    fresh = {"staleness": {"state": "fresh", "reasons": [], "age_days": 12}}
    run = passing(
        providers=[
            provider("openai", enforcement="ci", status="pass", cassette_kind=ORACLE),
            provider("vllm"),
            provider("fresh-vllm", last_refreshed="2026-09-03", **fresh),
            provider("new", last_refreshed=None, staleness={"state": "never_measured"}),
        ]
    )
    rows = {row[0]: row for row in read(render(run).text).rows if len(row) == 8}
    assert rows["openai"][2] == (
        "CI-enforced (oracle-aligned cassettes: measures the harness, not the model)"
    )
    assert rows["vllm"][2] == "manual, STALE: measured under another prompt"
    assert rows["fresh-vllm"][2] == "manual, refreshed 2026-09-03 (12 days ago)"
    assert rows["new"][2] == "manual, never measured"
    assert rows["openai"][7].strip() == "✅ PASS"
    assert {rows[name][7].strip() for name in ("vllm", "fresh-vllm", "new")} == {""}


def test_oracle_scores_say_that_they_measure_the_harness() -> None:
    assert "oracle-aligned cassettes" in read(render(passing(cassette_kind=ORACLE)).text).text
    assert "oracle" not in render(passing(cassette_kind="live_openai_recorded")).text


def test_no_run_at_all_is_neutral_and_no_run_of_this_commit_is_no_result() -> None:
    first = render(None)
    assert (first.status, "No baseline yet" in first.text) == ("none", True)
    crashed = render(None, head_sha="a" * 40)
    assert (crashed.status, "No result for this commit" in crashed.text) == ("none", True)
    assert "aaaaaaa" in crashed.text


def policy(status: str, *reasons: str) -> PolicyResult:
    return PolicyResult(
        status=status,
        reasons=reasons,
        contract_changes=(),
        exception_used=False,
        cassette_kind=ORACLE,
        changed_files_complete=True,
    )


def test_a_failed_policy_fails_a_section_whose_gate_passed() -> None:
    section = render(passing(), policy=policy("fail", "the prompt changed", "second"))
    assert section.status == "fail"
    assert section.text.startswith("## ❌")
    assert "**Oracle-cassette policy: ❌ FAIL**" in section.text
    assert "- second" in section.text
    assert "policy: ✅ PASS** — fine" in render(passing(), policy=policy("pass", "fine")).text


def test_cases_show_what_was_expected_and_what_came() -> None:
    kinds = ["missed", "invented", "labels", "time", "contradicts"]
    text = render(
        passing(), report=report_with([case(i, kind) for i, kind in enumerate(kinds)])
    ).text
    rows = {row[2]: row for row in read(text).rows if row[0].startswith("conversation-")}
    assert set(rows) == {"missed", "invented", "wrong labels", "wrong time", "contradicts"}
    assert rows["missed"][3:] == ["User deploys on Friday [behavioral]", ""]
    assert rows["invented"][3:] == ["", "User deploys on Friday [behavioral]"]
    assert "What is wrong, case by case (5)" in text


@pytest.mark.parametrize("nasty", NASTY)
def test_no_value_breaks_a_table_or_becomes_markup(nasty: str) -> None:
    name = nasty[:190]
    run = passing(
        branch=nasty,
        model=nasty,
        provider=name,
        gold_set=name,
        run_url=nasty,
        cassette_kind=nasty,
        prompt_sha256=nasty,
        schema_sha256=nasty,
        providers=[provider(name, model=nasty, staleness={"state": "stale", "reasons": [nasty]})],
    )
    bad = run.model_copy(
        update={
            "gate_summary": run.gate_summary.model_copy(
                update={"checks": (Check(f"a.{nasty}", 9.0, 3.0, False, 0.1, 0.2),)}
            )
        }
    )
    text = render(
        bad, report=report_with([case(0, "missed", nasty)]), policy=policy("fail", nasty)
    ).text
    seen = read(text)
    allowed = {"p", "code", "table", "thead", "tbody", "tr", "th", "td", "ul", "li", "h2", "strong"}
    assert set(seen.tags) <= allowed | {"details", "summary"}
    assert seen.links == seen.linkable == seen.comments == []
    tables = [len(row) for row in seen.rows]
    assert set(tables) <= {5, 6, 8}
    assert "\n<!--" not in text


def test_only_a_run_on_the_trusted_server_is_linked() -> None:
    for address in (
        "https://evil.example/x/y/actions/runs/1",
        "https://github.com.evil.example/a",
        "javascript:alert(1)",
        "https://github.com/a/b)[x](http://evil.example",
    ):
        assert read(render(passing(run_url=address)).text).links == []
    assert set(read(render(passing()).text).links) == {
        "https://github.com/example/harness/actions/runs/9057"
    }
    ghes = "https://ghe.example.org/a/b/actions/runs/1"
    linked = render(passing(run_url=ghes), server_url="https://ghe.example.org")
    assert set(read(linked.text).links) == {ghes}


def test_details_shrink_first_and_verdict_and_labels_stay() -> None:
    run = run_with([check("recall_macro", 1.0, 0.5)], providers=[provider("vllm")])
    report = report_with([case(i, text="é日&|" * 2_000) for i in range(500)])
    whole = render(run, report=report)
    assert github_length(whole.text) <= 65_000
    assert "What is wrong, case by case (500)" in whole.text
    tight = render(run, max_chars=1_800, report=report)
    assert github_length(tight.text) <= 1_800
    for section in (whole, tight):
        seen = read(section.text).text
        assert "recall_macro fell 50.00 points" in seen
        assert "manual, STALE: measured under another prompt" in seen
        assert "500" in seen
    assert "conversation-0" not in tight.text


def test_a_comment_that_cannot_shrink_further_is_an_error() -> None:
    with pytest.raises(BadInput, match="characters without details, at most 300"):
        render(passing(), max_chars=300)


def test_hostile_amounts_are_bounded() -> None:
    run = run_with(
        [check(f"m{i}" * 40, 1.0, 0.1) for i in range(5_000)],
        providers=[provider(f"p{i}") for i in range(5_000)],
    )
    text = render(run, policy=policy("fail", *(["&" * 5_000] * 500))).text
    assert github_length(text) <= 65_000
    assert "4980 more providers" in text


def test_text_that_looks_like_a_template_is_shown_as_it_is() -> None:
    report = report_with([case(0, text="{{ run.sha }} {% include 'x' %} $& {{ 7*7 }}")])
    seen = read(render(passing(), report=report).text).text
    assert "{{ run.sha }} {% include 'x' %} $& {{ 7*7 }}" in seen


# a user's own templates


def own(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return folder


def test_a_users_folder_replaces_a_single_template(tmp_path: Path) -> None:
    folder = own(tmp_path, "parts/verdict.md.j2", "OWN {{ word }} on {{ run.branch }}")
    text = render(passing(), templates=folder).text
    assert text.startswith("OWN PASS on <code>main</code>")
    assert "All 14 gated metrics" in text


@pytest.mark.parametrize(
    "expression",
    [
        "{{ evil }}",
        "{{ evil | safe }}",
        "{{ evil ~ evil }}",
        "{{ evil | upper }}",
        "{{ [evil, evil] | join(' ') }}",
        "{{ (evil | code) ~ evil }}",
        "{{ '%s' | format(evil) }}",
        "{% set x %}{{ evil }}{% endset %}{{ x }}",
        "{% macro m(v) %}{{ v }}{% endmacro %}{{ m(evil) }}",
        "{{ evil | e }}",
    ],
)
def test_no_template_can_forget_to_escape(tmp_path: Path, expression: str) -> None:
    template = "{% set evil = run.raw if false else policy.reasons[0] ~ '<img src=x> **b** @a' %}"
    folder = own(tmp_path, "parts/verdict.md.j2", template + expression)
    seen = read(render(passing(), templates=folder, policy=policy("pass", "fine")).text)
    assert "img" not in seen.tags
    assert "b" not in [tag for tag in seen.tags if tag == "strong"]
    assert seen.linkable == []


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{{ nothing_like_it }}", "UndefinedError"),
        ("{{ run.nothing }}", "UndefinedError"),
        ("{% if %}", "TemplateSyntaxError"),
        ("{{ ''.__class__.__mro__ }}", "SecurityError"),
        ("{{ run.update({'a': 1}) }}", "SecurityError"),
        ("{% include 'no-such.j2' %}", "TemplateNotFound"),
        ("{% include '../../../../etc/passwd' %}", "TemplateNotFound"),
        ("<!-- extraction-benchmark-bot -->", "writes the bot's own marker"),
        ("<!-- extraction-benchmark-bot:end name=x -->", "writes the bot's own marker"),
    ],
)
def test_a_template_that_breaks_or_breaks_out_is_refused(
    tmp_path: Path, template: str, message: str
) -> None:
    folder = own(tmp_path, "parts/verdict.md.j2", template)
    with pytest.raises(BadInput, match=message):
        render(passing(), templates=folder)


def test_a_template_cannot_count_to_a_billion(tmp_path: Path) -> None:
    folder = own(tmp_path, "parts/verdict.md.j2", "{% for i in range(10**9) %}x{% endfor %}")
    with pytest.raises(BadInput, match="cannot be rendered"):
        render(passing(), templates=folder)


def test_a_live_runs_change_has_the_noise_of_equal_runs_beside_it() -> None:
    same = {"mode": "live", "prompt_sha256": "a" * 64, "schema_sha256": "b" * 64}
    scores = (0.80, 0.82, 0.79, 0.81, 0.83)
    archived = tuple(
        run_entry(n, metrics={"recall_macro": score}, **same)
        for n, score in enumerate(scores, start=1)
    )
    run = run_with([check("recall_macro", 0.8, 0.82)], metrics={"recall_macro": 0.82}, **same)
    data = CommentInput(EXTRACTION_QUALITY.words, run, archived=archived)
    text = render_section(template_environment(), "extraction_quality", data, 60_000).text
    # the deviation of the five is 1.5811 points; times 1.96 and the root of two
    assert "2.00 | ±4.38 | 3 |" in text
    assert "among 5 earlier live runs" in text
    fewer = CommentInput(EXTRACTION_QUALITY.words, run, archived=archived[:4])
    assert (
        "Noise"
        not in render_section(template_environment(), "extraction_quality", fewer, 60_000).text
    )
