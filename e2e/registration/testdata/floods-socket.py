"""Opens raw connections at a unix socket: floods-socket.py SOCKET ATTEMPTS [--hold].

It holds those that the other side keeps open. With --hold it ends when all of them are closed.
"""

import socket
import sys
import time

MOST_HELD = 500
LONGEST_S = 60

path, attempts, holds = sys.argv[1], int(sys.argv[2]), "--hold" in sys.argv
end = time.monotonic() + LONGEST_S
held = []


def has_ended(one):
    try:
        # The other side says its settings first.
        return one.recv(4096) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def living(sockets):
    return [one for one in sockets if not has_ended(one)]


for _ in range(attempts):
    if time.monotonic() > end:
        break
    while len(held) > MOST_HELD:
        held = living(held)
    one = socket.socket(socket.AF_UNIX)
    one.setblocking(False)
    try:
        one.connect(path)
        held.append(one)
    except OSError:
        one.close()
while holds and held and time.monotonic() < end:
    held = living(held)
    time.sleep(0.05)
print("all closed" if not held else f"{len(held)} are open", flush=True)
