"""The token of a private Ray cluster: fresh for each one, in the environment of its processes alone."""

import os
import secrets
import tempfile
from pathlib import Path

from ray._raylet import (  # type: ignore[attr-defined]  # compiled, without types
    AuthenticationMode,
    AuthenticationTokenLoader,
    get_authentication_mode,
)

_NAMES = ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")


class FreshToken:
    """Set for whatever Ray starts until it is forgotten; Ray itself would leave a file that all can read."""

    def __init__(self) -> None:
        self._before = {name: os.environ.pop(name, None) for name in _NAMES}
        os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)
        self._file: Path | None = None
        AuthenticationTokenLoader.instance().reset_cache()

    def file(self) -> Path:
        """A file that only this user can read, for other commands that ask this cluster; gone with it."""
        if self._file is None:
            descriptor, name = tempfile.mkstemp(prefix="stackel-ray-token-")  # readable by its owner alone
            with os.fdopen(descriptor, "w") as file:
                file.write(os.environ["RAY_AUTH_TOKEN"])
            self._file = Path(name)
        return self._file

    def forget(self) -> None:
        """Put back what was set before."""
        if self._file is not None:
            self._file.unlink(missing_ok=True)
        for name, value in self._before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
        AuthenticationTokenLoader.instance().reset_cache()


def asks_for_token() -> bool:
    """Whether the Ray that this process belongs to asks everybody for its token."""
    return bool(get_authentication_mode() == AuthenticationMode.TOKEN)
