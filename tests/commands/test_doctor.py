"""`doctor`, in a repository as its owner has it."""

import json
from pathlib import Path

import pytest

from tests.commands.conftest import Bot
from tests.github_server.scenario import create_token
from tests.github_server.server import GitHubServer
from tests.support.github_place import ROOT, github_place

WORKFLOW = ".github/workflows/extraction-eval.yml"


@pytest.fixture
def repository(place: Path, bot: Bot) -> Path:
    """What `init` makes, with the small gold set of the tests."""
    action = f"octo-org/bot@{'a' * 40}"
    assert bot("init", "--action", action, "--gold-set", "gold").code == 0
    return place


def test_a_repository_after_init_has_no_error(repository: Path, bot: Bot) -> None:
    done = bot("doctor")
    assert done.code == 0, done.err
    assert "doctor: 0 errors" in done.out
    assert "oracle_aligned_expected_json: they prove the harness" in done.err


def test_a_set_up_without_anything_is_told_what_to_do(place: Path, bot: Bot) -> None:
    done = bot("doctor")
    assert done.code == 1
    assert f"there is no {WORKFLOW}" in done.err
    assert "extraction-bot init" in done.err


def test_an_unreadable_configuration_is_an_error_among_the_others(
    repository: Path, bot: Bot
) -> None:
    (repository / ".github/extraction-bot.toml").write_text("gold = 1\n")
    done = bot("doctor")
    assert done.code == 1
    assert "configuration: " in done.err
    assert "gold set" in done.out


def test_an_edited_gold_set_is_found_by_its_hash(repository: Path, bot: Bot) -> None:
    with (repository / "gold" / "expected_memories.jsonl").open("a") as file:
        file.write("\n")
    done = bot("doctor")
    assert done.code == 1
    assert "has changed since the manifest was written" in done.err


def test_cassettes_of_another_prompt_are_stale(repository: Path, bot: Bot) -> None:
    path = repository / "gold" / "cassette_manifest.json"
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps(manifest | {"prompt_sha256": "0" * 64}))
    done = bot("doctor")
    assert done.code == 1
    assert "cassettes: stale: prompt_sha256 is 000000000000" in done.err


def test_a_baseline_that_holds_nothing_or_is_old_is_told(repository: Path, bot: Bot) -> None:
    path = repository / "gold" / "baseline_results.json"
    baseline = json.loads(path.read_text())
    for block in baseline["providers"].values():
        block |= {"enforcement": "manual", "last_refreshed": "2020-01-31"}
    path.write_text(json.dumps(baseline))
    done = bot("doctor")
    assert done.code == 1
    assert "no provider is CI-enforced" in done.err
    assert "over the limit of 30 days" in done.err


def test_a_broken_history_is_an_error(repository: Path, bot: Bot) -> None:
    data = repository / "web_data" / "extraction-quality-benchmark-data.json"
    data.parent.mkdir()
    data.write_text("{")
    done = bot("doctor")
    assert done.code == 1
    assert "published history: " in done.err


def test_a_template_that_excuses_everybody_is_an_error(repository: Path, bot: Bot) -> None:
    folder = repository / ".github" / "PULL_REQUEST_TEMPLATE"
    folder.mkdir()
    (folder / "feature.md").write_text("EXTRACTION_EVAL_ORACLE_OK=1\n")
    done = bot("doctor")
    assert done.code == 1
    assert "every pull request would be excused" in done.err


@pytest.mark.parametrize(
    ("permissions", "code", "says"),
    [
        ({"contents": "read", "pull_requests": "read", "actions": "read"}, 0, "may read contents"),
        ({"contents": "read", "pull_requests": "read"}, 1, "may not read actions"),
        ({"contents": "read", "actions": "read"}, 1, "permissions: {pull-requests: read}"),
    ],
)
def test_the_tokens_rights_are_tried(
    repository: Path,
    bot: Bot,
    github_server: GitHubServer,
    monkeypatch: pytest.MonkeyPatch,
    permissions: dict[str, str],
    code: int,
    says: str,
) -> None:
    there = github_place(github_server)
    token = create_token(github_server, "actions", permissions, repository=there.repo)  # type: ignore[arg-type]
    for name, value in there.env(GITHUB_TOKEN=token.value).items():
        monkeypatch.setenv(name, value)
    done = bot("doctor")
    assert done.code == code, done.err
    assert says in done.out + done.err
    assert token.value not in done.out + done.err


def test_our_own_repository_is_well_set_up(monkeypatch: pytest.MonkeyPatch, bot: Bot) -> None:
    monkeypatch.chdir(ROOT)
    done = bot("doctor")
    assert done.code == 0, done.err
    assert "pull_request_template.md excuses nothing" in done.out
