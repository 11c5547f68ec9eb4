"""The policy as a command over files."""

import json
import subprocess
from pathlib import Path

import pytest

from bot.evaluation.gold_set import MANIFEST
from tests.commands.conftest import Bot, Done, git, load

CONTRACT = "bot/extraction/prompt_v2.py"
OK = "EXTRACTION_EVAL_ORACLE_OK=1"


@pytest.fixture
def check(place: Path, bot: Bot) -> object:
    def run(*more: str, changed: bytes = CONTRACT.encode() + b"\n") -> Done:
        Path("changed").write_bytes(changed)
        manifest = f"gold/{MANIFEST}"
        return bot(
            *("check-oracle-policy", "--manifest", manifest, "--changed-files", "changed"), *more
        )

    return run


def test_a_changed_prompt_under_oracle_cassettes_fails_with_the_ways_out(check: Bot) -> None:
    done = check("--out", "policy.json")
    assert done.code == 1
    assert CONTRACT in done.err
    assert OK in done.err
    result = load(Path("policy.json"))
    assert (result["status"], result["contract_changes"]) == ("fail", [CONTRACT])


def test_an_unrelated_change_passes(check: Bot) -> None:
    assert check(changed=b"README.md\n").code == 0


def test_a_visible_exception_passes_from_flag_file_and_variable(
    check: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("body.md").write_bytes(f"Why: rewording.\r\n\r\n{OK}\r\n".encode())
    assert check("--pr-body", OK).code == 0
    assert check("--pr-body-file", "body.md").code == 0
    monkeypatch.setenv("EXTRACTION_EVAL_PR_BODY", OK)
    assert check().code == 0
    monkeypatch.setenv("EXTRACTION_EVAL_PR_BODY", f"`{OK}`")
    assert check().code == 1


def test_live_recorded_cassettes_pass_and_new_hashes_alone_do_not(
    place: Path, check: Bot, bot: Bot
) -> None:
    assert bot("refresh-manifest", "--gold-set", "gold").code == 0
    assert check().code == 1
    manifest = load(place / "gold" / MANIFEST) | {"cassette_kind": "live_openai_recorded"}
    (place / "gold" / MANIFEST).write_text(json.dumps(manifest))
    assert check().code == 0


def test_contract_paths_come_from_flags_or_settings(place: Path, check: Bot) -> None:
    assert check("--contract-path", "app/prompt.py").code == 0
    assert check("--contract-path", "app/prompt.py", "--contract-path", CONTRACT).code == 1
    (place / "pyproject.toml").write_text('[tool.extraction-bot]\ncontract_paths = ["app/"]\n')
    assert check().code == 0
    assert check(changed=b"app/extraction/prompt.py\n").code == 1


def test_a_workflow_that_lets_drift_pass_fails_the_policy(place: Path, check: Bot) -> None:
    (place / "ci").mkdir()
    workflow = place / "ci" / "eval.yml"
    workflow.write_text("env:\n  # EXTRACTION_EVAL_ALLOW_PROMPT_DRIFT: never\n  A: 1\n")
    unrelated = b"README.md\n"
    assert check("--workflows", "ci", changed=unrelated).code == 0
    workflow.write_text("env:\n  EXTRACTION_EVAL_ALLOW_PROMPT_DRIFT: 1\n")
    done = check("--workflows", "ci", changed=unrelated)
    assert done.code == 1
    assert "eval.yml:2" in done.err


def test_gits_own_output_is_understood_for_renames_deletions_and_odd_names(
    place: Path, check: Bot
) -> None:
    repository = place / "repository"
    (repository / "bot/extraction").mkdir(parents=True)
    git(repository, "init", "-q")
    (repository / CONTRACT).write_text("PROMPT = 'x'\n" * 30)
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "first")
    base = git(repository, "rev-parse", "HEAD")
    (repository / "docs").mkdir()
    git(repository, "mv", CONTRACT, 'docs/a "b"\n\u00e9.py')
    git(repository, "commit", "-qm", "move the prompt out")

    def diff(*flags: str) -> bytes:
        command = ["git", "diff", *flags, base, "HEAD"]
        return subprocess.run(command, cwd=repository, check=True, capture_output=True).stdout

    for flags in (
        ("--name-status", "-z"),
        ("--name-status",),
        ("--name-only", "-z", "--no-renames"),
        ("--name-only", "--no-renames"),
    ):
        assert check(changed=diff(*flags)).code == 1, flags
    odd = 'docs/a "b"\n\u00e9.py'
    for flags in (("--name-status", "-z"), ("--name-status",)):
        assert check("--contract-path", odd, changed=diff(*flags)).code == 1, flags


@pytest.mark.parametrize(
    ("content", "message"),
    [("{", "is not JSON"), ("{}", "gold_set: Field required"), ("", "is empty")],
)
def test_a_manifest_that_is_none_is_bad_input(
    place: Path, check: Bot, content: str, message: str
) -> None:
    (place / "gold" / MANIFEST).write_text(content)
    done = check()
    assert (done.code, message in done.err) == (2, True)


def test_a_missing_list_or_body_file_is_bad_input(check: Bot, bot: Bot) -> None:
    assert check("--pr-body-file", "nowhere.md").code == 2
    manifest = f"gold/{MANIFEST}"
    arguments = ("check-oracle-policy", "--manifest", manifest, "--changed-files", "nowhere")
    assert bot(*arguments).code == 2


def test_three_thousand_names_from_an_api_may_not_be_all_of_them(check: Bot) -> None:
    names = "".join(f"src/{n}.py\n" for n in range(3_000)).encode()
    done = check(changed=names)
    assert done.code == 1
    assert "not complete" in done.err
    assert check(changed=names.replace(b"src/2999.py\n", b"")).code == 0
