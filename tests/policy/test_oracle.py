import pytest

from bot.files import to_json
from bot.policy.changed_files import ChangedFiles, parse_changed_files
from bot.policy.oracle import (
    DEFAULT_CONTRACT_PATHS,
    PolicyFacts,
    PolicyResult,
    judge_oracle_policy,
)

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
        ("cafe\u0301/", "caf\u00e9/prompt.py", True),
        ("./app/prompt.py", "app/prompt.py", True),
        ("/app/prompt.py", "app/prompt.py", True),
        ("app", "app/prompt.py", True),
        ("app*/", "apps/prompt.py", True),
        ("app?", "apps/prompt.py", True),
        ("app/", "app", True),  # the folder has become a submodule or a link
        ("app/prompt.py", "app", True),
        ("app/prompt.py", "ap", False),
        ("app/prompt.py", "app/prompt.py/__init__.py", True),
        (".", "README.md", True),
    ],
)
def test_a_contract_path_is_a_file_a_pattern_or_a_folder(
    pattern: str, path: str, is_contract: bool
) -> None:
    assert (judge(path, paths=(pattern,)).status == "fail") is is_contract


def test_without_contract_paths_the_usual_ones_hold() -> None:
    assert judge(DEFAULT_CONTRACT_PATHS[0], paths=()).status == "fail"
    assert judge("README.md", paths=()).status == "pass"


def test_a_rename_away_and_a_rename_onto_a_contract_path_are_changes_of_it() -> None:
    for status in (b"R100\0%b\0other.py\0", b"R050\0other.py\0%b\0", b"D\0%b\0", b"C075\0a\0%b\0"):
        changed = parse_changed_files(status % DEFAULT_CONTRACT_PATHS[1].encode())
        facts = PolicyFacts(ORACLE, changed, "", DEFAULT_CONTRACT_PATHS)
        assert judge_oracle_policy(facts).contract_changes == (DEFAULT_CONTRACT_PATHS[1],)


def test_a_failure_names_the_files_the_kind_and_both_ways_out() -> None:
    told = " ".join(judge(*DEFAULT_CONTRACT_PATHS, kind="homemade").reasons)
    for part in (*DEFAULT_CONTRACT_PATHS, "'homemade'", "record the cassettes live", OK):
        assert part in told


def test_a_marker_that_is_there_but_not_visible_is_explained() -> None:
    told = "not where it counts"
    assert any(told in r for r in judge(DEFAULT_CONTRACT_PATHS[0], body=f"`{OK}`").reasons)
    assert not any(told in r for r in judge(DEFAULT_CONTRACT_PATHS[0], body="none").reasons)


@pytest.mark.parametrize("kind", [ORACLE, LIVE, None])
def test_names_that_are_no_text_can_still_be_written_shown_and_read_back(kind: str | None) -> None:
    nasty = ("p/caf\udce9.py", "p/line\nbreak.py", "p/" + "x" * 5_000)
    result = judge(*nasty, *(f"p/z{n}" for n in range(1_000)), kind=kind, paths=("p/",))
    text = to_json(result.model_dump(mode="json"))
    assert PolicyResult.model_validate_json(text.encode()) == result
    assert len(result.contract_changes) == 1_003
    assert all(len(reason) < 600 and reason.isprintable() for reason in result.reasons)
    assert "p/caf\\xe9.py" in result.contract_changes


def test_a_result_of_a_later_version_is_read() -> None:
    text = '{"status": "fail", "reasons": ["a"], "contract_changes": [], "new": 1}'
    assert PolicyResult.model_validate_json(text).verdict.reasons == ("a",)


def test_a_visible_exception_does_not_excuse_the_drift_variable() -> None:
    result = judge(DEFAULT_CONTRACT_PATHS[0], body=OK, uses=("w.yml:1",))
    assert (result.status, result.exception_used, len(result.reasons)) == ("fail", True, 1)


def test_the_drift_variable_in_a_workflow_fails_whatever_else() -> None:
    result = judge("README.md", kind=LIVE, body=OK, uses=(".github/workflows/eval.yml:7",))
    assert result.status == "fail"
    assert ".github/workflows/eval.yml:7" in result.reasons[0]


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("eval/gold/expected_memories.jsonl", True),
        ("eval/gold/conversations.jsonl", True),
        ("eval/gold/cassette_manifest.json", False),
        ("eval/gold/README.md", False),
        ("other/expected_memories.jsonl", False),
        ("eval/gold/more/conversations.jsonl", False),
    ],
)
def test_gold_and_contract_changed_together_is_said_and_decides_nothing(
    path: str, says: bool
) -> None:
    for prompt, kind in ((True, LIVE), (True, ORACLE), (False, ORACLE)):
        paths = frozenset({path, *(DEFAULT_CONTRACT_PATHS if prompt else ())})
        changed = ChangedFiles(paths, complete=True)
        alone = judge_oracle_policy(PolicyFacts(kind, changed, "", DEFAULT_CONTRACT_PATHS))
        facts = PolicyFacts(kind, changed, "", DEFAULT_CONTRACT_PATHS, gold_set="eval/gold")
        result = judge_oracle_policy(facts)
        assert result.status == alone.status
        assert ("gold memories changed together" in result.reasons[-1]) is (says and prompt)
