"""The child process in which an algebra system compares two expressions.

It is started by `beam_rs.verifiers._math_pool` as `python -m beam_rs.verifiers._math_worker FD`, answers one request
after another over the socket FD, and ends when that closes. Texts are parsed by a grammar, never evaluated as code.
"""

import contextlib
import json
import logging
import os
import resource
import signal
import sys
import threading
from functools import lru_cache
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any, Final

MEMORY: Final = 4 << 30
GRACE: Final = 1.0


def main(descriptor: int) -> None:
    """Serve requests until the other side is gone."""
    logging.disable(logging.CRITICAL)
    with contextlib.suppress(ValueError, OSError):  # not every system limits address space
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    sys.setrecursionlimit(4_000)
    import math_verify  # noqa: F401  the slow part, before the first request is timed

    connection, requests = Connection(descriptor), SimpleQueue[bytes]()
    threading.Thread(target=_receive, args=(connection, requests), daemon=True).start()
    connection.send_bytes(b"ready")
    while True:
        request = json.loads(requests.get())
        # should the parent die while an expression holds the interpreter, the kernel ends this process
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, request["seconds"] + GRACE)
        reply = json.dumps({"equal": compare(request["gold"], request["predicted"])})
        signal.setitimer(signal.ITIMER_REAL, 0)
        connection.send_bytes(reply.encode())


def _receive(connection: Connection, requests: "SimpleQueue[bytes]") -> None:
    """Pass requests on; the end of the stream ends the process, whatever the main thread is at."""
    try:
        while True:
            requests.put(connection.recv_bytes())
    except (EOFError, OSError):
        os._exit(0)


def compare(gold: str, predicted: str) -> bool:
    """Whether math-verify takes two LaTeX expressions for equal, and its rounding did not decide it."""
    from math_verify import verify

    try:
        a, b = _parse(gold), _parse(predicted)
        if a is None or b is None:
            return False
        return bool(verify(a, b, timeout_seconds=None)) and not _rounded_away(a, b)
    except (Exception, RecursionError, MemoryError):
        # an algebra system may fail in any way on a strange text; what it cannot compare is not equal
        return False


@lru_cache(maxsize=256)
def _parse(text: str) -> Any:
    """The expression of a text, or None where it is none, or one that says nothing."""
    import sympy
    from math_verify import LatexExtractionConfig, parse
    from sympy.logic.boolalg import BooleanAtom

    how = [LatexExtractionConfig()]
    found = parse(f"${text}$", how, fallback_mode="no_fallback", parsing_timeout=None)
    expression = found[0] if found else None
    empty = (sympy.nan, sympy.zoo, sympy.S.EmptySet)
    if expression is None or isinstance(expression, (str, BooleanAtom)) or expression in empty:
        return None
    return expression


def _rounded_away(a: Any, b: Any) -> bool:
    """Whether two constants are equal only because rounding leaves nothing of their difference."""
    import sympy

    if not (isinstance(a, sympy.Expr) and isinstance(b, sympy.Expr)) or a.free_symbols or b.free_symbols:
        return False
    x, y = a.doit().evalf(40, maxn=400), b.doit().evalf(40, maxn=400)
    if not (x.is_comparable and y.is_comparable) or x == y:
        return False
    return bool(abs(x - y) > sympy.Float("1e-5") * max(abs(x), abs(y)))


if __name__ == "__main__":
    main(int(sys.argv[1]))
