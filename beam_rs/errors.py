"""Every error that beam_rs raises on purpose.

    BeamRsError                 exit 1
    ├── UsageError              exit 2: found before the first item is read
    │   ├── ConfigError         the configuration, with file and line where known
    │   ├── MissingExtra        an optional dependency that is not installed
    │   └── OutputRefused       the output folder belongs to another run, or cannot be written
    ├── ImageChanged            source bytes differ from those that were checked
    ├── EngineError
    │   ├── EngineUnreachable   nothing answers
    │   └── EngineDied          the engine is gone, and with it what was in flight
    ├── LedgerError             answers cannot be kept
    ├── CountsError             the eight ends do not add up to what was read
    └── Interrupted             exit 130: stopped by a signal, resumable

A request, an item or a line that fails raises none of these: it becomes a value with a reason code.
"""


class BeamRsError(Exception):
    """Base of all errors below. The message says what, which value and what to do."""

    exit_code = 1


class UsageError(BeamRsError):
    """Something that is found before the first item is read."""

    exit_code = 2


class ConfigError(UsageError):
    """The configuration is wrong."""


class MissingExtra(UsageError):
    """An optional dependency is not installed.

    Args:
      package: what was to be imported.
      extra: the extra of this package that brings it.
    """

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed; run: pip install 'beam-rs[{extra}]'")


class OutputRefused(UsageError):
    """The output folder belongs to another run or cannot be written."""


class ImageChanged(BeamRsError):
    """The bytes behind an `ImageRef` are not those that were checked."""


class EngineError(BeamRsError):
    """The engine as a whole cannot go on; a single request's fault is a `Completion` with an error."""


class EngineUnreachable(EngineError):
    """Nothing answers at the engine's address."""


class EngineDied(EngineError):
    """The engine is gone."""


class LedgerError(BeamRsError):
    """Answers cannot be written to, or read from, the ledger."""


class CountsError(BeamRsError):
    """The eight ends do not add up to what was read."""


class Interrupted(BeamRsError):
    """Stopped by a signal; what was finished is in the ledger."""

    exit_code = 130
