"""What must exist once: objects that refuse to be copied or sent to another process."""

from __future__ import annotations

import os
from typing import Any, ClassVar, NoReturn

from privet.errors import ParameterError

__all__ = ["OneHolder"]


class OneHolder:
    """State that has one holder: the process that made it. Copies, pickles and forks are refused.

    >>> import copy
    >>> copy.deepcopy(OneHolder())
    Traceback (most recent call last):
    ...
    privet.errors.ParameterError: The state of a running stream has one holder and cannot be copied.
      What to do: Copy what was released, or keep the stream in a checkpoint, which is taken up once.
    """

    held: ClassVar[str] = "a running stream"
    instead: ClassVar[str] = "keep the stream in a checkpoint, which is taken up once"

    def __init__(self) -> None:
        self._process = os.getpid()

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise ParameterError(
            f"The state of {self.held} has one holder and cannot be copied.",
            f"Copy what was released, or {self.instead}.",
        )

    def require_holder(self) -> None:
        """Refuse to go on in a process that was forked off: the one that made the state goes on."""
        if os.getpid() != self._process:
            raise ParameterError(
                f"This process has a copy of {self.held}, which goes on elsewhere.",
                "Learn in the process in which it began.",
            )
