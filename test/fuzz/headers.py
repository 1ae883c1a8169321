"""What is done to headers before a request goes out (hooks of schemathesis)."""

import itertools
import re

import schemathesis

KEY = re.compile("[!#-~]{1,255}")
used_keys = set()
turn = itertools.count()
# The ways in which an answer may be sent; also none that the API has.
accepted = itertools.cycle(["gzip", "br, *;q=0", "*", "identity;q=0"])


@schemathesis.hook
def before_call(context, case, kwargs):
    """Lets most writes be done that a header would prevent.

    Generated keys are short and come again, and no generated ETag is that of a resource: nearly every write would be
    422 or 412, and its body never looked at. One in ten stays as it is.
    """
    case.headers["Accept-Encoding"] = next(accepted)
    # What schemathesis takes from an answer for a header may be a number, which it then cannot send.
    for name, value in case.headers.items():
        if not isinstance(value, (str, bytes)):
            case.headers[name] = str(value)
    if next(turn) % 10 == 0:
        return
    case.headers.pop("If-Match", None)
    key = case.headers.get("Idempotency-Key")
    if isinstance(key, str) and KEY.fullmatch(key):
        if key in used_keys:
            case.headers["Idempotency-Key"] = f"{key[:200]}-{len(used_keys)}"
        used_keys.add(case.headers["Idempotency-Key"])
