"""A training that says what it was asked and then waits to be interrupted."""

from __future__ import annotations

import json
import signal
import sys
import time

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    question = json.loads(sys.stdin.readline())
    print(json.dumps({"event": "remark", "text": question["task"]}), flush=True)
    try:
        time.sleep(600)
    except KeyboardInterrupt:
        print(json.dumps({"event": "cancelled"}), flush=True)
