"""What doctor finds in workflows and in pull request templates."""

import pytest

from bot.setup.findings import Finding
from bot.setup.workflows import (
    ExpectedWorkflow,
    is_pull_request_template,
    template_findings,
    workflow_findings,
)

PATH = ".github/workflows/extraction-eval.yml"
EXPECTED = ExpectedWorkflow(PATH, "extraction-eval", "web_data/data.json")
SHA = "3d3c42e5aac5ba805825da76410c181273ba90b1"
GOOD = f"""
name: extraction-eval
on:
  pull_request:
  push:
    paths-ignore: ["web_data/**"]
permissions: {{}}
jobs:
  evaluate:
    steps:
      - uses: actions/checkout@{SHA}
      - uses: ./own
"""
FORKS = {".github/workflows/forks.yml": "on: workflow_run\npermissions: {}\njobs: {}\n"}


def found(text: str, **more: str) -> list[Finding]:
    return list(workflow_findings({PATH: text, **FORKS, **more}, EXPECTED))


def lines(findings: list[Finding], level: str) -> list[str]:
    return [finding.line for finding in findings if finding.level == level]


def test_a_good_set_up_has_neither_error_nor_warning() -> None:
    findings = found(GOOD)
    assert [finding.level for finding in findings] == ["ok"]


@pytest.mark.parametrize(
    ("before", "after", "level", "says"),
    [
        ("name: extraction-eval", "name: other", "error", "named 'other', not 'extraction-eval'"),
        ("permissions: {}", "", "warning", "no permissions are set for evaluate"),
        (f"checkout@{SHA}", "checkout@v7", "warning", "actions/checkout@v7 can change"),
        (f"checkout@{SHA}", f"checkout@{SHA[:39]}", "warning", "can change under you"),
        ("  pull_request:", "  pull_request_target:", "warning", "secrets and rights"),
        ('["web_data/**"]', '["docs/**"]', "warning", 'paths-ignore: ["web_data/**"]'),
        ("jobs:", "env: {EXTRACTION_EVAL_ALLOW_PROMPT_DRIFT: 1}\njobs:", "error", f"{PATH}:8"),
        ("permissions: {}", "permissions: {", "error", "is no YAML"),
    ],
)
def test_each_fault_is_found_with_what_to_do(
    before: str, after: str, level: str, says: str
) -> None:
    assert before in GOOD
    findings = found(GOOD.replace(before, after))
    told = [line for line in lines(findings, level) if says in line]
    assert len(told) == 1, findings
    assert " — " in told[0]


def test_without_the_evaluations_workflow_nothing_can_be_published() -> None:
    (line,) = lines(list(workflow_findings(FORKS, EXPECTED)), "error")
    assert f"there is no {PATH}" in line


def test_without_a_workflow_for_forks_they_get_no_comment() -> None:
    (line,) = lines(list(workflow_findings({PATH: GOOD}, EXPECTED)), "warning")
    assert "a fork's pull request gets no comment" in line


@pytest.mark.parametrize(
    "text", ["", "[]", "1", "jobs: 1", "on: [push]\njobs: {a: 1, b: {steps: x}}", "on: {1: 2}"]
)
def test_what_is_no_workflow_breaks_nothing(text: str) -> None:
    assert lines(found(text), "error")


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("Why?\n", "ok"),
        ("EXTRACTION_EVAL_ORACLE_OK=1\n", "error"),
        ("Please do.\n\n- [x] EXTRACTION_EVAL_ORACLE_OK=1\n", "error"),
        ("<!-- EXTRACTION_EVAL_ORACLE_OK=1 -->\n", "warning"),
        ("Write `EXTRACTION_EVAL_ORACLE_OK=1` here\n", "warning"),
    ],
)
def test_a_template_must_not_excuse_every_pull_request(text: str, level: str) -> None:
    (finding,) = template_findings({".github/pull_request_template.md": text})
    assert finding.level == level


@pytest.mark.parametrize(
    ("path", "is_template"),
    [
        (".github/PULL_REQUEST_TEMPLATE.md", True),
        ("pull_request_template.txt", True),
        ("docs/pull_request_template.md", True),
        (".github/PULL_REQUEST_TEMPLATE/feature.md", True),
        (".github/ISSUE_TEMPLATE.md", False),
        ("src/pull_request_template.md", False),
        ("docs/about_pull_request_template.md", False),
    ],
)
def test_templates_are_where_github_looks_for_them(path: str, is_template: bool) -> None:
    assert is_pull_request_template(path) is is_template
