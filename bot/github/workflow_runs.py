"""Waits for a workflow run to be completed: a dispatch sent from inside a run arrives early."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from bot.github.interface import GitHub, WorkflowRun

MAX_WAIT_SECONDS: Final = 300.0
FIRST_PAUSE_SECONDS: Final = 2.0
MAX_PAUSE_SECONDS: Final = 20.0


@dataclass(frozen=True)
class Waiting:
    """Clock and sleep come from outside, so that a test takes no time."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    max_seconds: float = MAX_WAIT_SECONDS


def wait_for_run(github: GitHub, run_id: int, waiting: Waiting) -> WorkflowRun:
    """The run once it is completed, or as it is when the time is up: `status` tells."""
    deadline = waiting.now() + waiting.max_seconds
    pause = FIRST_PAUSE_SECONDS
    while True:
        run = github.workflow_run(run_id)
        if run.status == "completed" or waiting.now() + pause > deadline:
            return run
        waiting.sleep(pause)
        pause = min(MAX_PAUSE_SECONDS, pause * 1.5)
