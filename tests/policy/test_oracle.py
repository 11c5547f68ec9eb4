import pytest

from bot.policy.changed_files import ChangedFiles
from bot.policy.oracle import (
    DEFAULT_CONTRACT_PATHS,
    PolicyFacts,
    PolicyResult,
    judge_oracle_policy,
)
from bot.policy.workflows import drift_uses

ORACLE, LIVE = "oracle_aligned_expected_json", "live_openai_recorded"
OK = "EXTRACTION_EVAL_ORACLE_OK=1"


def judge(
    *changed: str,
    kind: str | None = ORACLE,
    body: str = "",
    paths: tuple[str, ...] = DEFAULT_CONTRACT_PATHS,
    complete: bool = True,
    uses: tuple[str, ...] = (),
) -> PolicyResult:
    files = ChangedFiles(frozenset(changed), complete)
    return judge_oracle_policy(PolicyFacts(kind, files, body, paths, uses))


@pytest.mark.parametrize("path", DEFAULT_CONTRACT_PATHS)
def test_a_change_of_prompt_or_schema_under_oracle_cassettes_fails(path: str) -> None:
    result = judge(path, "README.md")
    assert result.verdict.exit_code == 1
    assert result.contract_changes == (path,)
    assert any(OK in reason for reason in result.reasons)


def test_other_changes_live_cassettes_and_a_visible_exception_pass() -> None:
    assert judge("README.md").verdict.ok
    assert judge(DEFAULT_CONTRACT_PATHS[0], kind=LIVE).verdict.ok
    excepted = judge(DEFAULT_CONTRACT_PATHS[0], body=OK)
    assert excepted.verdict.ok
    assert excepted.exception_used


def test_an_exception_that_was_not_needed_is_not_used() -> None:
    assert not judge("README.md", body=OK).exception_used


@pytest.mark.parametrize("kind", [None, "", "live", "LIVE_OPENAI_RECORDED"])
def test_an_unknown_kind_is_no_excuse(kind: str | None) -> None:
    assert judge(DEFAULT_CONTRACT_PATHS[0], kind=kind).status == "fail"


def test_an_incomplete_list_is_taken_for_a_contract_change() -> None:
    result = judge("README.md", complete=False)
    assert result.status == "fail"
    assert not result.changed_files_complete
    assert any("not complete" in reason for reason in result.reasons)
    assert judge("README.md", complete=False, body=OK).verdict.ok
    assert judge("README.md", complete=False, kind=LIVE).verdict.ok


@pytest.mark.parametrize(
    ("pattern", "path", "is_contract"),
    [
        ("app/prompt.py", "app/prompt.py", True),
        ("app/prompt.py", "app/prompt.pyc", False),
        ("app/*.py", "app/prompt.py", True),
        ("app/", "app/deep/prompt.py", True),
        ("app/", "application/prompt.py", False),
        ("app/prompt.py", "App/prompt.py", False),
        ("caf\u00e9/prompt.py", "cafe\u0301/prompt.py", True),  # composed and decomposed
        ("a[1].py", "a[1].py", True),
    ],
)
def test_a_contract_path_is_a_file_a_pattern_or_a_folder(
    pattern: str, path: str, is_contract: bool
) -> None:
    assert (judge(path, paths=(pattern,)).status == "fail") is is_contract


def test_the_drift_variable_in_a_workflow_fails_whatever_else() -> None:
    result = judge("README.md", kind=LIVE, body=OK, uses=(".github/workflows/eval.yml:7",))
    assert result.status == "fail"
    assert ".github/workflows/eval.yml:7" in result.reasons[0]


NAME = "EXTRACTION_EVAL_ALLOW_PROMPT_DRIFT"


@pytest.mark.parametrize(
    ("text", "uses"),
    [
        (f"env:\n  {NAME}: 1\n", ("w.yml:2",)),
        (f"run: |\n  {NAME}=1 extraction-bot run\n", ("w.yml:2",)),
        (f"  # {NAME} must never be set here\n#{NAME}\n", ()),
        (f"{NAME.lower()}: 1\n", ("w.yml:1",)),
        ('"EXTRACTION_EVAL_ALLOW\\x5fPROMPT_DRIFT": 1\n', ("w.yml:1",)),
        (f"a: 1\r\nb: {NAME}\r\n", ("w.yml:2",)),
        ("EXTRACTION_EVAL_ALLOW_PROMPT: 1\n", ()),
    ],
)
def test_a_comment_line_is_no_use_of_the_variable_and_all_else_is(
    text: str, uses: tuple[str, ...]
) -> None:
    assert drift_uses({"w.yml": text}) == uses
