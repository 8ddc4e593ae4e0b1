"""Proves by a digest that it has its secrets, and stays until it is told to end."""

import hashlib
import os
import sys
import time


def prove():
    text = os.environ.get("DB_PASSWORD", "") + "\n" + os.environ.get("API_KEY", "")
    proof = os.path.join(os.environ["CHAIN_PROOFS"], str(os.getpid()))
    with open(proof + ".new", "w") as file:
        file.write(hashlib.sha256(text.encode()).hexdigest())
    os.rename(proof + ".new", proof)


def stay():
    while not os.path.exists(os.environ["CHAIN_END"]):
        time.sleep(0.05)


if __name__ == "__main__":
    prove()
    stay()
    sys.exit(int(os.environ.get("CHAIN_EXIT", "0")))
