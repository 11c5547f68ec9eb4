"""The composite action: its inputs become one command line, and nothing passes through a shell."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.evaluation.gold_set import BASELINE
from bot.settings import CONFIG_VARIABLE
from tests.commands.conftest import Bot, Done, load
from tests.support.github_place import ROOT

ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
Act = Callable[..., Done]


@pytest.fixture
def act(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> Act:
    """Runs the action with these inputs; what is not given is empty, as GitHub hands it over."""

    def run(command: str, **inputs: str) -> Done:
        given = {"gold_set": "", "baseline": "", "published": "", "config": ""} | inputs
        config = given.pop("config")
        monkeypatch.setenv("INPUT_COMMAND", command)
        monkeypatch.setenv(CONFIG_VARIABLE, config)
        for name, value in given.items():
            monkeypatch.setenv(f"INPUT_{name.upper()}", value)
        return bot("action")

    return run


def test_the_default_command_is_ci_with_the_gold_set_of_the_input(place: Path, act: Act) -> None:
    done = act(ACTION["inputs"]["command"]["default"], gold_set="gold")
    assert done.code == 0, done.err
    assert load(place / "out" / "latest.json")["gold_set"] == "small"


def test_the_commands_own_flags_and_quotes_are_kept(place: Path, act: Act) -> None:
    done = act("run --provider keyword --out 'a b/c'", gold_set="gold")
    assert done.code == 0, done.err
    assert load(place / "a b" / "c" / "latest.json")["provider"] == "keyword"


def test_the_baseline_of_the_input_is_the_one_that_is_held_against(place: Path, act: Act) -> None:
    other = load(place / "gold" / BASELINE) | {"gold_set": "another"}
    (place / "other.json").write_text(json.dumps(other))
    done = act("run", gold_set="gold", baseline="other.json")
    assert (done.code, "measured on gold set another" in done.err) == (1, True)


def test_published_is_the_history_under_each_commands_own_name_for_it(
    place: Path, act: Act, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_REPOSITORY", "octo-org/memory")
    assert act("run", gold_set="gold", published="history.json").code == 0
    assert len(load(place / "history.json")["runs"]) == 1
    assert act("ci", gold_set="gold", published="other.json").code == 0
    assert len(load(place / "other.json")["runs"]) == 1
    done = act("render-comment --out comment.md", published="history.json")
    assert (done.code, "PASS" in (place / "comment.md").read_text()) == (0, True)
    done = act("post-extraction-pr-comment --pr-number 1", published="history.json")
    assert (done.code, "no GitHub token" in done.err) == (2, True)  # the history was taken


def test_a_command_of_two_words_is_one(place: Path, act: Act) -> None:
    done = act("baseline show", baseline=f"gold/{BASELINE}")
    assert done.code == 0, done.err
    assert "keyword" in done.out


@pytest.mark.parametrize("command", ["", "rnu", "baseline", "--help", "action", "; ls", "run-all"])
def test_an_unknown_command_is_bad_input_with_a_list_of_the_known(act: Act, command: str) -> None:
    done = act(command)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "input command: unknown command" in done.err
    known = done.err.split("say one of ")[1].strip().split(", ")
    assert {"ci", "run", "comment-from-run", "baseline show"} <= set(known)
    assert "action" not in known


def test_a_command_line_with_an_open_quote_is_bad_input(act: Act) -> None:
    done = act("run --out 'a")
    assert (done.code, "input command: is no command line" in done.err) == (2, True)


@pytest.mark.parametrize(
    ("command", "inputs", "name"),
    [
        ("gate --latest a --out b", {"gold_set": "gold"}, "gold-set"),
        ("schema", {"baseline": "b.json"}, "baseline"),
        ("evaluate --out a.json", {"published": "p.json"}, "published"),
    ],
)
def test_an_input_that_the_command_does_not_take_is_bad_input(
    place: Path, act: Act, command: str, inputs: dict[str, str], name: str
) -> None:
    done = act(command, **inputs)
    assert done.code == 2
    assert done.err == f"error: input {name}: the command {command.partition(' ')[0]} takes none\n"


@pytest.mark.parametrize(
    "hostile",
    [
        "$(touch owned)",
        "`touch owned`",
        "gold; touch owned",
        "gold && touch owned",
        "gold | tee owned",
        "gold\ntouch owned",
        "--out owned",
        "'; touch owned; '",
    ],
)
def test_what_a_shell_would_run_is_one_word(place: Path, act: Act, hostile: str) -> None:
    done = act("run", gold_set=hostile)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "no such gold set directory" in done.err
    assert not (place / "owned").exists()
    done = act(f"run --gold-set {hostile}".replace("\n", " "))
    assert done.code == 2
    assert not (place / "owned").exists()


def test_the_configuration_comes_from_the_file_of_the_input(place: Path, act: Act) -> None:
    (place / "bench.toml").write_text('gold_set = "gold"\nout = "elsewhere"\n')
    assert act("run", config="bench.toml").code == 0
    assert (place / "elsewhere" / "latest.json").exists()
    done = act("run", config="missing.toml")
    assert (done.code, "missing.toml: there is no such file" in done.err) == (2, True)


def test_the_inputs_and_outputs_are_those_that_users_were_promised() -> None:
    assert list(ACTION["inputs"]) == [
        "command",
        "gold-set",
        "baseline",
        "published",
        "config",
        "github-token",
    ]
    assert list(ACTION["outputs"]) == ["status", "comment-url", "report"]
    assert all(
        one["description"] for part in ("inputs", "outputs") for one in ACTION[part].values()
    )


def test_the_step_hands_each_input_over_by_a_variable_and_none_in_its_script() -> None:
    (step,) = ACTION["runs"]["steps"]
    assert "${{" not in step["run"]
    values = {f"${{{{ inputs.{name} }}}}" for name in ACTION["inputs"]}
    assert set(step["env"].values()) == values
    assert {name: one["value"] for name, one in ACTION["outputs"].items()} == {
        name: f"${{{{ steps.{step['id']}.outputs.{name} }}}}" for name in ACTION["outputs"]
    }


def test_every_variable_of_the_step_is_one_that_the_bot_reads() -> None:
    """By running it: a mapping that notes what is asked of it stands in for the environment."""
    (step,) = ACTION["runs"]["steps"]
    program = (
        "import os, sys\n"
        "asked = set()\n"
        "class Env(dict):\n"
        "    def get(self, name, *more):\n"
        "        asked.add(name)\n"
        "        return super().get(name, *more)\n"
        "    def __getitem__(self, name):\n"
        "        asked.add(name)\n"
        "        return super().__getitem__(name)\n"
        "os.environ = Env(os.environ)\n"
        "from bot.cli import main\n"
        "main(['action'])\n"
        "print(*asked, file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={
            "PYTHONPATH": str(ROOT),
            "INPUT_COMMAND": "comment-from-run --run-id 1",
            "GITHUB_REPOSITORY": "octo-org/memory",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert set(step["env"]) <= set(done.stderr.split()), done.stderr


def test_the_step_runs_the_actions_own_program() -> None:
    (step,) = ACTION["runs"]["steps"]
    program = '"$GITHUB_ACTION_PATH/bot/bootstrap.py"'
    assert step["run"] == f"python3 -I {program} action"
    assert (ROOT / "bot" / "bootstrap.py").is_file()
