"""A repository's own extractor: a Python function, or predictions in a file."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import Bot, Done, load
from tests.commands.live import LATEST, evaluate
from tests.support.gold import Said, memory, write_gold_set

MINE = """
import json
from bot.extraction.schema import BatchExtractionResult

ANSWER = json.loads({answers!r})

def find(turns):
    return ANSWER[turns[0].content]

def as_text(turns):
    return json.dumps(find(turns))

def as_dict(turns):
    return find(turns)

def as_model(turns):
    return BatchExtractionResult.model_validate(find(turns))

async def awaited(turns):
    return find(turns)

def raises(turns):
    if "key" in turns[0].content:
        raise RuntimeError("no model today")
    return find(turns)

def nonsense(turns):
    return "nothing to see"

def unserialisable(turns):
    return {{"turns": object()}}

NUMBER = 7
"""

FIRST = {
    "deploys": "We deploy on Fridays. I prefer tabs.",
    "flag": "The flag is on until 30 September 2026.",
    "key": "Rotate the key, then restart the workers.",
}


def right_answers() -> dict[str, Any]:
    """By conversation id, from the gold set's own file."""
    answers: dict[str, Any] = {}
    for line in Path("gold/expected_memories.jsonl").read_text().splitlines():
        row = json.loads(line)
        turn = {"turn_index": row["turn_index"], "memories": row["expected"]}
        answers.setdefault(row["conversation_id"], {"turns": []})["turns"].append(turn)
    return answers


@pytest.fixture
def own(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    by_text = {FIRST[name]: answer for name, answer in right_answers().items()}
    (place / "mine.py").write_text(MINE.format(answers=json.dumps(by_text)))
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    monkeypatch.syspath_prepend(str(place))


def run(bot: Bot, provider: str, *arguments: str) -> Done:
    return evaluate(bot, "--provider", provider, *arguments, mode="cassette")


@pytest.mark.parametrize("function", ["as_text", "as_dict", "as_model", "awaited"])
def test_a_function_is_scored_whatever_form_its_answer_has(
    own: None, bot: Bot, function: str
) -> None:
    done = run(bot, f"python:mine:{function}")
    assert done.code == 0, done.err
    report = load(LATEST)
    assert report["metrics"]["recall_macro"] == 1.0
    assert report["provider"] == f"python:mine:{function}"
    assert report["answering"]["failures"] == {}


def test_no_cassettes_are_needed(own: None, bot: Bot) -> None:
    Path("gold/openai_cassettes.jsonl").unlink()
    Path("gold/cassette_manifest.json").unlink()
    assert run(bot, "python:mine:as_dict").code == 0
    assert load(LATEST)["gold_set"] == "gold"


@pytest.mark.parametrize(
    ("function", "kinds"),
    [
        ("raises", {"exception": 1}),
        ("nonsense", {"invalid_json": 3}),
        ("unserialisable", {"schema_violation": 3}),
    ],
)
def test_what_goes_wrong_in_it_is_a_failure_and_counts_as_empty(
    own: None, bot: Bot, function: str, kinds: dict[str, int]
) -> None:
    done = run(bot, f"python:mine:{function}")
    assert done.code == 0
    assert load(LATEST)["answering"]["failures"] == kinds
    assert load(LATEST)["metrics"]["recall_procedural"] == 0.0
    assert "Traceback" not in done.err


def test_max_failures_stops_it(own: None, bot: Bot) -> None:
    done = run(bot, "python:mine:nonsense", "--max-failures", "1")
    assert done.code == 3
    assert "2 failures in 2 conversations" in done.err


@pytest.mark.parametrize(
    ("provider", "message"),
    [
        ("python:nowhere:run", "cannot be imported: ModuleNotFoundError"),
        ("python:mine:missing", "cannot be imported: AttributeError"),
        ("python:mine:NUMBER", "is no function"),
        ("python:", "cannot be imported"),
        ("ruby:mine:run", "unknown provider 'ruby:mine:run'"),
    ],
)
def test_what_cannot_be_called_is_bad_input(
    own: None, bot: Bot, provider: str, message: str
) -> None:
    done = run(bot, provider)
    assert done.code == 2
    assert message in done.err
    assert done.err.count("\n") == 1


def test_it_can_be_named_and_gated_under_that_name(own: None, bot: Bot) -> None:
    flags = ("--name", "ours", "--model", "regex-3")
    run(bot, "python:mine:as_dict", *flags)
    report = load(LATEST)
    assert (report["provider"], report["model"]) == ("ours", "regex-3")
    baseline = ("--baseline", "gold/baseline_results.json")
    done = bot("baseline", "set", "ours", "--latest", str(LATEST), *baseline, "--enforcement", "ci")
    assert done.code == 0, done.err
    done = bot("run", "--gold-set", "gold", "--provider", "python:mine:raises", *flags)
    assert done.code == 1
    assert "ours.recall_procedural dropped 100.00 points" in done.err


def test_it_cannot_be_recorded(own: None, bot: Bot) -> None:
    done = evaluate(bot, "--provider", "python:mine:as_dict", mode="record")
    assert done.code == 2
    assert "only a server's answers can be recorded" in done.err


# --- file:


def write(rows: list[Any], path: str = "predictions.jsonl") -> None:
    Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows))


def in_form(form: str) -> list[Any]:
    answers = right_answers()
    if form == "turns":
        return [{"conversation_id": name, **answer} for name, answer in answers.items()]
    if form == "raw":
        return [
            {"conversation_id": name, "raw_json": json.dumps(answer)}
            for name, answer in answers.items()
        ]
    return [
        {"conversation_id": name, **turn}
        for name, answer in answers.items()
        for turn in answer["turns"]
        if turn["memories"]
    ]


@pytest.mark.parametrize("form", ["turns", "raw", "turn a line"])
def test_predictions_are_scored_in_each_of_the_three_forms(
    place: Path, bot: Bot, form: str
) -> None:
    write(in_form(form))
    done = run(bot, "file:predictions.jsonl", "--name", "mem0")
    assert done.code == 0, done.err
    report = load(LATEST)
    assert report["provider"] == "mem0"
    assert report["metrics"]["recall_macro"] == report["metrics"]["precision_macro"] == 1.0
    assert report["metrics"]["category_assignment_accuracy"] == 1.0
    assert report["answering"]["failures"] == {}


def test_a_conversation_that_is_left_out_is_a_failure(place: Path, bot: Bot) -> None:
    write([row for row in in_form("turns") if row["conversation_id"] != "key"])
    assert run(bot, "file:predictions.jsonl").code == 0
    report = load(LATEST)
    assert report["answering"]["failures"] == {"missing": 1}
    assert report["metrics"]["recall_procedural"] == 0.0


@pytest.mark.parametrize(
    "turns",
    [
        [{"turn_index": 0, "memories": [memory("User has a boat", "vehicle")]}],
        [{"turn_index": 0, "memories": 5}],
        [{"turn_index": [], "memories": []}],
        ["nothing"],
        [{"turn_index": 0, "memories": []}] * 2,
    ],
)
def test_memories_against_the_contract_fail_their_conversation_alone(
    place: Path, bot: Bot, turns: Any
) -> None:
    rows = [row for row in in_form("turns") if row["conversation_id"] != "key"]
    write([*rows, {"conversation_id": "key", "turns": turns}])
    assert run(bot, "file:predictions.jsonl").code == 0
    assert load(LATEST)["answering"]["failures"] == {"schema_violation": 1}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["x"], "predictions.jsonl:1: has no conversation_id"),
        ([{"conversation_id": " "}], "has no conversation_id"),
        ([{"conversation_id": "key"}], "has no answer beside its id"),
        ([{"conversation_id": "key", "raw_json": "{}"}] * 2, "'key' is given twice"),
        ([{"conversation_id": "nobody", "raw_json": "{}"}], "'nobody' is not in the gold set"),
    ],
)
def test_a_file_that_cannot_be_read_as_predictions_is_bad_input(
    place: Path, bot: Bot, rows: list[Any], message: str
) -> None:
    write(rows)
    done = run(bot, "file:predictions.jsonl")
    assert done.code == 2
    assert message in done.err


def test_a_broken_line_is_named(place: Path, bot: Bot) -> None:
    Path("p.jsonl").write_text('{"conversation_id": "key", "raw_json": "{}"}\n{"conv')
    done = run(bot, "file:p.jsonl")
    assert done.code == 2
    assert "p.jsonl:2" in done.err


def test_a_file_that_is_not_there_is_bad_input(place: Path, bot: Bot) -> None:
    assert "nowhere.jsonl: file not found" in run(bot, "file:nowhere.jsonl").err


def test_the_three_lines_in_the_readme_are_read(place: Path, bot: Bot) -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    block = readme.partition("```json\n")[2].partition("```")[0]
    write_gold_set(place / "gold", {f"c{n}": [Said(f"I own boat {n}.")] for n in (1, 2, 3)})
    Path("p.jsonl").write_text(block)
    assert run(bot, "file:p.jsonl").code == 0
    assert load(LATEST)["answering"]["failures"] == {"wrong_turns": 1}, "c3 answers for no turn"
