"""`gate`: a report and a baseline in, `gate-result.json` and the exit code out."""

from pathlib import Path

from bot.commands.judge import judge_scores
from bot.console import Console
from bot.evaluation.scores import read_scores
from bot.files import to_json, write_atomic
from bot.gate.baseline import load_baseline
from bot.gate.regression import GateResult, gate_json
from bot.suites import Suite
from bot.verdict import Verdict


def tell_gate(result: GateResult, console: Console) -> None:
    """The verdict on the terminal; each reason as an annotation when it fails."""
    console.tell("gate", Verdict(result.status, tuple(result.summary_lines)))


def run_gate(latest: Path, baseline: Path, out: Path, suite: Suite, console: Console) -> int:
    """0 when every check holds, 1 when one does not, with the result written in both cases."""
    scores = read_scores(latest, suite.name)
    result = judge_scores(scores, load_baseline(baseline), baseline, suite)
    write_atomic(out, to_json(gate_json(result)))
    tell_gate(result, console)
    lines = "\n".join(f"- {line}" for line in result.summary_lines)
    console.add_summary(f"## {suite.title} gate: {result.status}\n\n```text\n{lines}\n```\n")
    console.set_outputs({"status": result.status, "gate-result": str(out)})
    return result.verdict.exit_code
