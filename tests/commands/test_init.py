"""`init`, in a new repository and in one that has files already."""

import tomllib
from pathlib import Path

import pytest

from tests.commands.conftest import Bot, git

ACTION = f"octo-org/extraction-bot@{'b' * 40}"
CONFIG = Path(".github/extraction-bot.toml")
WORKFLOWS = Path(".github/workflows")


def test_a_new_repository_gets_its_configuration_and_its_workflows(place: Path, bot: Bot) -> None:
    done = bot("init", "--action", ACTION)
    assert done.code == 0, done.err
    assert sorted(path.name for path in WORKFLOWS.iterdir()) == [
        "extraction-eval.yml",
        "extraction-pr-comment.yml",
        "publish-extraction-benchmark-data.yml",
    ]
    text = (WORKFLOWS / "extraction-eval.yml").read_text()
    assert text.count(f"uses: {ACTION}") == 3
    assert "branches: [main]" in text
    assert tomllib.loads(CONFIG.read_text()) == {}


def test_what_is_given_stands_in_the_configuration(place: Path, bot: Bot) -> None:
    words = ["--prompt", "app.p:P", "--schema", "app.s:S", "--gold-set", 'eval/"x"']
    words += ["--contract-path", "app/p.py", "--contract-path", "app/ü.py"]
    assert bot("init", "--action", ACTION, *words).code == 0
    assert tomllib.loads(CONFIG.read_text()) == {
        "prompt": "app.p:P",
        "schema": "app.s:S",
        "gold_set": 'eval/"x"',
        "contract_paths": ["app/p.py", "app/ü.py"],
    }
    assert bot("validate", str(CONFIG)).code == 0


def test_a_second_time_changes_nothing(place: Path, bot: Bot) -> None:
    bot("init", "--action", ACTION)
    done = bot("init", "--action", ACTION)
    assert done.code == 0
    assert done.out.count("as it should be") == 4


def test_a_file_with_other_content_is_shown_and_kept(place: Path, bot: Bot) -> None:
    CONFIG.parent.mkdir()
    CONFIG.write_text('gold_set = "mine"\n')
    done = bot("init", "--action", ACTION)
    assert done.code == 2
    assert '-gold_set = "mine"' in done.out
    assert "--overwrite" in done.err
    assert CONFIG.read_text() == 'gold_set = "mine"\n'
    assert not WORKFLOWS.exists()


def test_overwriting_shows_the_diff_first(place: Path, bot: Bot) -> None:
    CONFIG.parent.mkdir()
    CONFIG.write_text('gold_set = "mine"\n')
    done = bot("init", "--action", ACTION, "--overwrite")
    assert done.code == 0
    assert done.out.index('-gold_set = "mine"') < done.out.index("overwritten")
    assert 'gold_set = "mine"' not in CONFIG.read_text()


def test_the_default_branch_is_the_repositorys(place: Path, bot: Bot) -> None:
    git(place, "init", "--quiet")
    git(place, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")
    bot("init", "--action", ACTION)
    assert "branches: [trunk]" in (WORKFLOWS / "extraction-eval.yml").read_text()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--action", "octo-org/bot@v1"], "give OWNER/REPO@FULL_SHA"),
        (["--action", f"{ACTION}\n  evil: true"], "is no pinned action"),
        (["--action", ACTION, "--branch", "a]\nb"], "is no branch name"),
        (["--action", ACTION, "--prompt", "no import string"], "prompt"),
    ],
)
def test_what_cannot_stand_in_the_files_is_refused(
    place: Path, bot: Bot, words: list[str], says: str
) -> None:
    done = bot("init", *words)
    assert done.code == 2
    assert says in done.err
    assert not CONFIG.exists()


def test_without_a_known_commit_of_the_bot_init_asks_for_it(
    place: Path, bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.commands.init._git", lambda *_: "")
    done = bot("init")
    assert done.code == 2
    assert "--action OWNER/REPO@FULL_SHA" in done.err


def test_the_checkout_that_the_bot_runs_from_is_the_default_action(
    place: Path, bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = {"remote": "git@github.com:octo-org/bot.git", "rev-parse": "c" * 40}
    monkeypatch.setattr("bot.commands.init._git", lambda _, word, *more: answers.get(word, ""))
    assert bot("init").code == 0
    assert f"uses: octo-org/bot@{'c' * 40}" in (WORKFLOWS / "extraction-eval.yml").read_text()
