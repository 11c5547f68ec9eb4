"""What a repository configures, and what it gets wrong."""

from pathlib import Path

import pytest

from bot.evaluation.gold_set import MANIFEST
from tests.commands.conftest import Bot, load

OWN_CONTRACT = """
from pydantic import BaseModel

PROMPT = "Extract memories."
NUMBER = 3


class Output(BaseModel):
    memories: list[str]
"""


@pytest.fixture
def own_contract(place: Path) -> None:
    (place / "harness").mkdir()
    (place / "harness" / "contract.py").write_text(OWN_CONTRACT)
    (place / "pyproject.toml").write_text(
        '[tool.extraction-bot]\nprompt = "harness.contract:PROMPT"\n'
        'schema = "harness.contract:Output"\ngold_set = "gold"\n'
    )


@pytest.mark.usefixtures("own_contract")
def test_a_repositorys_own_prompt_and_schema_are_fingerprinted(place: Path, bot: Bot) -> None:
    assert "cassettes are stale" in bot("run").err
    assert bot("refresh-manifest", "--gold-set", "gold").code == 0
    assert bot("run").code == 0
    manifest = load(place / "gold" / MANIFEST)
    import hashlib

    assert manifest["prompt_sha256"] == hashlib.sha256(b"Extract memories.").hexdigest()


def test_the_file_in_github_wins_over_pyproject(place: Path, bot: Bot) -> None:
    (place / "pyproject.toml").write_text('[tool.extraction-bot]\nout = "from-pyproject"\n')
    (place / ".github").mkdir()
    (place / ".github" / "extraction-bot.toml").write_text('out = "from-github"\n')
    bot("run", "--gold-set", "gold")
    assert (place / "from-github").exists()
    assert not (place / "from-pyproject").exists()


@pytest.fixture
def three_files(place: Path) -> None:
    """Each configures its own output folder."""
    for name, table in {
        ".github/extraction-bot.toml": "",
        "pyproject.toml": "[tool.extraction-bot]\n",
        "ci/bench.toml": "",
        "ci/pyproject.toml": "[project]\nname = 'x'\n[tool.extraction-bot]\n",
    }.items():
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_text(f'{table}out = "of-{name.replace("/", "-")}"\n')


@pytest.mark.usefixtures("three_files")
@pytest.mark.parametrize(
    ("config", "out"),
    [
        ("", "of-.github-extraction-bot.toml"),
        ("ci/bench.toml", "of-ci-bench.toml"),
        ("./ci/bench.toml", "of-ci-bench.toml"),
        ("pyproject.toml", "of-pyproject.toml"),
        ("ci/pyproject.toml", "of-ci-pyproject.toml"),
    ],
)
def test_the_file_that_the_variable_names_is_taken_whole(
    place: Path, bot: Bot, monkeypatch: pytest.MonkeyPatch, config: str, out: str
) -> None:
    monkeypatch.setenv("EXTRACTION_BOT_CONFIG", config)
    assert bot("run", "--gold-set", "gold").code == 0
    assert [path.name for path in place.glob("of-*")] == [out]


@pytest.mark.usefixtures("three_files")
@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("ci/missing.toml", "ci/missing.toml: there is no such file"),
        ("ci", "is a directory"),
        ("gold/conversations.jsonl", "gold/conversations.jsonl: is not TOML"),
    ],
)
def test_a_named_file_that_cannot_be_used_is_bad_input_and_no_other_is_taken(
    place: Path, bot: Bot, monkeypatch: pytest.MonkeyPatch, config: str, message: str
) -> None:
    monkeypatch.setenv("EXTRACTION_BOT_CONFIG", config)
    done = bot("run", "--gold-set", "gold")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert message in done.err
    assert list(place.glob("of-*")) == []


def test_a_pyproject_without_our_table_changes_nothing(place: Path, bot: Bot) -> None:
    (place / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert bot("run", "--gold-set", "gold").code == 0


def test_the_cap_of_the_published_file_is_configured(place: Path, bot: Bot) -> None:
    (place / "pyproject.toml").write_text("[tool.extraction-bot]\nmax_runs = 2\n")
    for number in range(1, 5):
        bot("run", "--gold-set", "gold", "--sha", f"{number:07}", "--run-number", str(number))
    data = load(place / "web_data" / "extraction-quality-benchmark-data.json")
    assert [run["run_number"] for run in data["runs"]] == [4, 3]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("max_run = 3", "max_run: Extra inputs are not permitted"),
        ("max_runs = 0", "max_runs: Input should be greater"),
        ('max_runs = "3"', "max_runs: Input should be a valid integer"),
        ("stale_after_days = -1", "stale_after_days"),
        ("similarity_threshold = 0", "similarity_threshold"),
        ("contract_paths = []", "contract_paths"),
        ('prompt = "no import string"', "prompt: String should match"),
        ('prompt = "no.such.module:PROMPT"', "no.such.module:PROMPT: cannot be imported"),
        ('prompt = "harness.contract:NUMBER"', "the prompt is no text"),
        ('prompt = "harness.contract:MISSING"', "cannot be imported"),
        ('schema = "harness.contract:PROMPT"', "the schema is no pydantic model"),
        ("max_runs = ", "is not TOML"),
    ],
)
@pytest.mark.usefixtures("own_contract")
def test_a_wrong_setting_is_named(place: Path, bot: Bot, line: str, message: str) -> None:
    (place / "pyproject.toml").write_text(f"[tool.extraction-bot]\n{line}\n")
    done = bot("run", "--gold-set", "gold")
    assert done.code == 2
    assert message in done.err
    assert done.err.count("\n") == 1
