"""The A/A noise floor: learned from runs that measured the same, and from no others."""

import math
from typing import Any

import numpy
import pytest

from bot.history.noise import noise_floor_pp
from tests.support.runs import run_entry

SCORES = (0.80, 0.82, 0.79, 0.81, 0.83)
SAME: dict[str, Any] = {"mode": "live", "prompt_sha256": "a" * 64, "schema_sha256": "b" * 64}


def live(number: int, score: float, **changes: Any) -> Any:
    return run_entry(number, metrics={"recall_macro": score}, **(SAME | changes))


def test_the_floor_is_what_95_percent_of_equal_pairs_stay_under() -> None:
    archived = [live(n, score) for n, score in enumerate(SCORES, start=1)]
    count, floors = noise_floor_pp(live(9, 0.5), archived)
    # the deviation of the five scores, in points, times 1.96 and the root of two
    expected = numpy.std([score * 100 for score in SCORES], ddof=1) * 1.96 * math.sqrt(2)
    assert count == 5
    assert floors == {"recall_macro": pytest.approx(float(expected))}


@pytest.mark.parametrize(
    "change",
    [
        {"prompt_sha256": "c" * 64},
        {"schema_sha256": "c" * 64},
        {"gold_set": "v2"},
        {"model": "gpt-9"},
        {"provider": "vllm"},
        {"conversation_count": 20},
        {"mode": "cassette"},
    ],
)
def test_a_run_of_anything_else_teaches_nothing(change: dict[str, Any]) -> None:
    archived = [live(n, score) for n, score in enumerate(SCORES[:4], start=1)]
    assert noise_floor_pp(live(9, 0.5), [*archived, live(5, 0.9, **change)]) == (4, {})


def test_a_replay_and_a_run_without_fingerprints_have_no_floor() -> None:
    archived = [live(n, score, mode="cassette") for n, score in enumerate(SCORES, start=1)]
    assert noise_floor_pp(live(9, 0.5, mode="cassette"), archived) == (0, {})
    unknown = [live(n, score, prompt_sha256=None) for n, score in enumerate(SCORES, start=1)]
    assert noise_floor_pp(live(9, 0.5, prompt_sha256=None), unknown) == (0, {})


def test_the_run_itself_does_not_count_among_the_others() -> None:
    archived = [live(n, score) for n, score in enumerate(SCORES, start=1)]
    assert noise_floor_pp(archived[0], archived) == (4, {})
