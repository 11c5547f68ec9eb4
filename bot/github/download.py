"""Downloads from a signed address, as GitHub redirects to for an artifact."""

from pathlib import Path
from typing import Final

from bot.errors import BadInput
from bot.github.retry import Answer, Failed

TIMEOUT_SECONDS: Final = 20
_CHUNK: Final = 1 << 16


def download(address: str, to: Path, max_bytes: int, where: str) -> None:
    """Stream a signed address to a file; it carries its own key, so no token is sent along.

    Raises BadInput for more than `max_bytes`: whoever uploaded it is at fault, not GitHub.
    """
    import requests

    size = 0
    try:
        with requests.Session() as session:
            session.trust_env = False  # no .netrc
            with session.get(address, stream=True, timeout=TIMEOUT_SECONDS) as answer:
                if answer.status_code >= 400:
                    known = {name.lower(): value for name, value in answer.headers.items()}
                    raise Failed(
                        Answer(answer.status_code, known, ""), f"storage said {answer.status_code}"
                    )
                with to.open("wb") as file:
                    for chunk in answer.iter_content(_CHUNK):
                        size += len(chunk)
                        if size > max_bytes:
                            raise BadInput(f"is over {max_bytes:,} bytes", where=where)
                        file.write(chunk)
    except requests.RequestException as error:
        raise Failed(None, f"the download broke off ({type(error).__name__})") from None
