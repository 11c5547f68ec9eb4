"""Requests and answers are held against GitHub's own description of its API."""

from __future__ import annotations

import pytest

from tests.github_server import routes
from tests.github_server.clients import PlainClient
from tests.github_server.contract import (
    OPERATIONS_WITHOUT_CHECK,
    SAME_OPERATION,
    as_meant,
    github_contract,
)
from tests.github_server.fixtures import fail_on_violations
from tests.github_server.routing import all_routes
from tests.github_server.scenario import open_pull_request
from tests.github_server.server import GitHubServer
from tests.github_server.state import Repository

REPO = "/repos/octo-org/memory"
COMMENT = "/repos/{owner}/{repo}/issues/{issue_number}/comments"
PATH = {"owner": "o", "repo": "r", "issue_number": "1"}


@pytest.mark.parametrize(
    ("request_line", "body", "place"),
    [
        ("POST /issues/1/comments", {"body": 3}, "body: 3 is not of type 'string'"),
        ("POST /issues/1/comments", {}, "'body' is a required property"),
        ("GET /issues/1/comments?page=x", None, "parameter page"),
        ("GET /pulls?state=merged", None, "is not one of"),
        ("PATCH /pulls/1", {"state": "merged"}, "state: 'merged' is not one of"),
        ("POST /issues/1/comments", b"{", "MediaTypeDeserializeError"),
    ],
)
def test_a_request_that_breaks_the_description_is_a_violation(
    github_server: GitHubServer,
    repo: Repository,
    plain: PlainClient,
    request_line: str,
    body: object,
    place: str,
) -> None:
    open_pull_request(github_server, repo)
    method, path = request_line.split(" ")
    plain.ask(method, REPO + path, body)
    [violation] = github_server.contract_violations
    github_server.contract_violations.clear()
    assert violation.startswith(f"#1 request {method} /repos/{{owner}}/{{repo}}")
    assert place in violation
    assert "\n" not in violation


def test_a_request_is_checked_even_when_a_fault_answers_it(
    github_server: GitHubServer, repo: Repository, plain: PlainClient
) -> None:
    github_server.faults.add(kind="status")
    plain.ask("POST", f"{REPO}/issues/1/comments", {"body": None})
    assert len(github_server.contract_violations) == 1
    github_server.contract_violations.clear()


def test_an_answer_that_breaks_the_description_is_a_violation() -> None:
    contract = github_contract()
    json_type = "application/json; charset=utf-8"
    [violation] = contract.answer_violations("POST", COMMENT, 201, json_type, {}, b'{"id": "x"}')
    assert violation.startswith(f"answer 201 to POST {COMMENT}: ")
    assert "'node_id' is a required property" in violation
    undescribed = contract.answer_violations("POST", COMMENT, 202, json_type, {}, b"{}")
    assert undescribed == [f"answer 202 to POST {COMMENT}: the description has no such status"]
    nameless = contract.answer_violations("POST", COMMENT, 401, json_type, {}, b"{}")
    assert nameless == [f"answer 401 to POST {COMMENT}: no message"]


def test_a_good_request_is_no_violation() -> None:
    contract = github_contract()
    assert contract.request_violations("POST", COMMENT, PATH, [], b'{"body": "x"}') == []
    assert contract.request_violations("GET", COMMENT, PATH, [("per_page", "100")], b"") == []


def test_null_is_allowed_where_the_description_calls_an_enum_nullable() -> None:
    meant = as_meant({"enum": ["a"], "nullable": True, "type": "string"})
    assert meant == {"enum": ["a", None], "nullable": True, "type": "string"}


def test_the_description_is_loaded_once_a_process() -> None:
    assert github_contract() is github_contract()


def test_what_is_served_is_described_or_listed_with_a_reason() -> None:
    assert routes is not None
    contract = github_contract()
    undescribed = {
        (route.method, route.template)
        for route in all_routes()
        if not contract.describes(route.method, SAME_OPERATION.get(route.template, route.template))
    }
    assert undescribed == set(OPERATIONS_WITHOUT_CHECK)
    assert all(OPERATIONS_WITHOUT_CHECK.values())


@pytest.mark.parametrize("field", ["contract_violations", "internal_errors"])
def test_the_fixture_fails_a_test_that_broke_the_description(
    github_server: GitHubServer, field: str
) -> None:
    complaints = getattr(github_server, field)
    complaints.append("#1 request POST /x: it was wrong")
    with pytest.raises(pytest.fail.Exception, match="#1 request POST /x: it was wrong"):
        fail_on_violations(github_server)
    complaints.clear()
    fail_on_violations(github_server)
