"""Runs a program in a pseudo-terminal of 24 lines, and types what it is told to.

Argument: {"command": [...], "answers": [{"once": text, "type": text}], "columns": number, "limitS": seconds} as JSON.
Prints {"code", "screen"} as JSON: what the program ended with, and all that it wrote.
"""

import fcntl
import json
import os
import pty
import select
import struct
import sys
import termios
import time

call = json.loads(sys.argv[1])
child, terminal = pty.fork()
if child == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, call["columns"], 0, 0))
    os.execvp(call["command"][0], call["command"])

time_limit = time.monotonic() + call["limitS"]
answers = list(call["answers"])
screen = b""
seen = 0
while True:
    ready, _, _ = select.select([terminal], [], [], max(0, time_limit - time.monotonic()))
    if not ready:
        os.kill(child, 9)
        break
    try:
        chunk = os.read(terminal, 65536)
    except OSError:
        break
    if not chunk:
        break
    screen += chunk
    if answers and answers[0]["once"].encode() in screen[seen:]:
        seen = len(screen)
        os.write(terminal, answers.pop(0)["type"].encode())
_, status = os.waitpid(child, 0)
print(
    json.dumps(
        {
            "code": os.waitstatus_to_exitcode(status),
            "screen": screen.decode("utf-8", "replace").replace("\r\n", "\n"),
        }
    )
)
