import random

from hypothesis import given
from hypothesis import strategies as st

from bot.history.append import append_run
from bot.history.model import History, RunEntry, StoredRun
from tests.support.runs import run_entry


def history_of(*entries: RunEntry, max_runs: int = 50) -> History:
    history = History("extraction_quality")
    for entry in entries:
        history = append_run(history, StoredRun.of(entry), max_runs).history
    return history


def numbers(history: History) -> list[int]:
    return [stored.entry.run_number for stored in history.runs]


def test_the_newest_run_stands_first() -> None:
    assert numbers(history_of(run_entry(1), run_entry(3), run_entry(2))) == [3, 2, 1]


def test_an_older_run_that_finishes_last_is_sorted_in_and_is_not_the_newest() -> None:
    late = run_entry(2, timestamp="2026-12-01T00:00:00Z")  # a runner whose clock is ahead, too
    history = history_of(run_entry(3), late)
    assert numbers(history) == [3, 2]
    assert history.newest == run_entry(3)


def test_equal_run_numbers_are_ordered_by_time() -> None:
    early = run_entry(7, sha="a" * 40, timestamp="2026-09-05T12:00:00+02:00")
    later = run_entry(7, sha="b" * 40, timestamp="2026-09-05T11:00:00Z")
    assert history_of(later, early).newest == later


def test_the_same_commit_run_three_times_is_one_entry() -> None:
    runs = [run_entry(n, sha="a" * 40) for n in (1, 2, 3)]
    assert numbers(history_of(*runs)) == [3]


def test_a_run_of_the_same_number_again_replaces() -> None:
    first, again = (
        run_entry(1),
        run_entry(1, status="fail", gate_summary={"status": "fail", "checks": []}),
    )
    appended = append_run(history_of(first), StoredRun.of(again), 50)
    assert appended.outcome == "replaced"
    assert appended.history.newest == again


def test_a_late_older_run_of_the_same_commit_never_replaces_a_newer_one() -> None:
    newer, older = run_entry(5, sha="a" * 40), run_entry(4, sha="a" * 40)
    appended = append_run(history_of(newer), StoredRun.of(older), 50)
    assert appended.outcome == "kept_newer"
    assert appended.history == history_of(newer)


def test_a_live_run_and_a_replay_of_the_same_commit_are_two_rows() -> None:
    replay, live = run_entry(1, sha="a" * 40), run_entry(2, sha="a" * 40, mode="full")
    assert numbers(history_of(replay, live)) == [2, 1]


def test_all_replays_are_one_kind_of_mode_and_all_live_runs_another() -> None:
    modes = ["cassette", "smoke", "fast", "live", "full", "record", "vllm"]
    runs = [run_entry(n, sha="a" * 40, mode=mode) for n, mode in enumerate(modes)]
    assert [stored.entry.mode for stored in history_of(*runs).runs] == ["vllm", "fast"]


def test_each_provider_of_a_commit_has_a_row_of_its_own() -> None:
    runs = [run_entry(1, sha="a" * 40, provider=provider) for provider in ("openai", "keyword")]
    assert len(history_of(*runs).runs) == 2


def test_the_newest_runs_are_kept() -> None:
    assert numbers(history_of(*map(run_entry, range(60)), max_runs=50)) == list(range(59, 9, -1))


@given(st.permutations(range(8)), st.integers(1, 10))
def test_the_order_of_arrival_does_not_matter(order: list[int], max_runs: int) -> None:
    runs = [run_entry(n) for n in order]
    assert numbers(history_of(*runs, max_runs=max_runs)) == sorted(order, reverse=True)[:max_runs]


def test_a_thousand_random_appends_agree_with_a_brute_force_history() -> None:
    chance = random.Random(7)
    history = History("extraction_quality")
    seen: dict[tuple[str, str, str], RunEntry] = {}
    for _ in range(1_000):
        entry = run_entry(
            chance.randrange(40),
            sha=f"{chance.randrange(15):040x}",
            mode=chance.choice(["cassette", "live"]),
        )
        history = append_run(history, StoredRun.of(entry), 1_000).history
        if entry.key not in seen or seen[entry.key].run_number <= entry.run_number:
            seen[entry.key] = entry
    expected = sorted(seen.values(), key=lambda entry: entry.order, reverse=True)
    assert [stored.entry.order for stored in history.runs] == [entry.order for entry in expected]
    assert {stored.entry.key for stored in history.runs} == set(seen)
