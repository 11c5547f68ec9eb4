from bot.history.append import append_run
from bot.history.badge import badge
from bot.history.model import History, StoredRun
from tests.support.runs import run_entry

EMPTY = History("extraction_quality")


def test_the_badge_speaks_of_the_newest_run_in_words() -> None:
    history = EMPTY
    for entry in (
        run_entry(1),
        run_entry(2, status="fail", metrics={"recall_macro": 0.8764}),
    ):
        history = append_run(history, StoredRun.of(entry), 50).history
    assert badge(history, "Extraction quality") == {
        "schemaVersion": 1,
        "label": "extraction quality",
        "message": "fail, recall 87.6%",
        "color": "red",
    }


def test_oracle_scores_say_so_and_an_undefined_score_is_left_out() -> None:
    entry = run_entry(1, metrics={}, cassette_kind="oracle_aligned_expected_json")
    history = append_run(EMPTY, StoredRun.of(entry), 50).history
    assert badge(history, "X")["message"] == "pass, oracle cassettes"


def test_without_a_run_the_badge_says_so() -> None:
    assert badge(EMPTY, "X")["message"] == "no run yet"
