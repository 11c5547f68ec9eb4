"""What the documents say is what the program does."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from bot.settings import Settings

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def bot(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bot", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def commands() -> list[str]:
    listing = bot("--help").stdout.partition("Commands:")[2]
    return re.findall(r"^  ([a-z][\w-]+)  ", listing, re.MULTILINE)


def code_blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


def test_every_command_stands_in_the_readme() -> None:
    assert len(commands()) >= 9
    for command in commands():
        if command != "version":
            assert f"| `{command}` |" in README, command


@pytest.mark.parametrize("command", commands())
def test_every_command_has_help_with_a_real_example(command: str) -> None:
    help_text = bot(command, "--help").stdout
    assert "Example:" in help_text
    example = " ".join(help_text.partition("Example:")[2].split())
    called = example[example.index("extraction-bot") :].split()[1]
    assert called == command


def test_the_first_two_commands_of_the_readme_each_set_up_all_they_need() -> None:
    first, second = code_blocks("sh")[:2]
    for block in (first, second):
        assert block.count("\n") == 1
        assert block.startswith("python3 -m venv .venv && ")
        assert "--require-hashes" in block
    assert first.endswith("-m bot run\n")
    assert second.endswith("-m pytest\n")


def test_the_quick_start_is_a_workflow_of_at_most_25_lines_with_pinned_actions() -> None:
    (workflow,) = code_blocks("yaml")
    assert workflow.count("\n") <= 25
    jobs = yaml.safe_load(workflow)["jobs"]
    actions = [step["uses"] for job in jobs.values() for step in job["steps"] if "uses" in step]
    assert actions
    for action in actions:
        assert re.fullmatch(r"actions/[\w.-]+@[0-9a-f]{40}|OWNER/REPO@FULL_COMMIT_SHA", action)


def test_the_settings_in_the_readme_are_all_that_there_are_and_are_valid() -> None:
    import tomllib

    (block,) = code_blocks("toml")
    shown = tomllib.loads(block)
    Settings.model_validate(shown)
    known = {field.alias or name for name, field in Settings.model_fields.items()}
    rest = "\n".join(README.split("\n"))
    for name in known - set(shown):
        assert f"`{name}`" in rest, name


def test_the_candidate_in_the_readme_can_be_staged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (block,) = code_blocks("python")
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "README.md", "exec"), {})
    assert len(list((tmp_path / "staging").glob("*.json"))) == 1


def test_every_relative_link_of_the_documents_leads_somewhere() -> None:
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md"))]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_test_that_the_threat_model_names_exists() -> None:
    named = re.findall(r"`(test_\w+)`", (ROOT / "docs" / "threat-model.md").read_text())
    texts = "".join(path.read_text() for path in (ROOT / "tests").glob("**/test_*.py"))
    assert len(named) > 20
    for name in named:
        assert f"def {name}(" in texts, name


def test_no_registry_address_and_no_lock_file_with_addresses_is_committed() -> None:
    files = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True
    ).stdout.split("\0")
    assert "uv.lock" not in files
    for name in files:
        if name.startswith("requirements/"):
            assert "://" not in (ROOT / name).read_text(encoding="utf-8"), name


HEAVY = (
    "pydantic",
    "jinja2",
    "github",
    "rapidfuzz",
    "rustworkx",
    "markdown_it",
    "requests",
    "httpx",
    "uuid_utils",
)


@pytest.mark.parametrize(
    ("arguments", "allowed"),
    [(["--help"], ()), (["gate", "--help"], ()), (["version"], ())],
)
def test_a_command_imports_nothing_heavy_that_it_does_not_need(
    arguments: list[str], allowed: tuple[str, ...]
) -> None:
    code = (
        "import sys; from bot.cli import main; main(sys.argv[1:]); "
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == str(list(allowed))
