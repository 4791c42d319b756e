#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""bounded.py SECONDS COMMAND...: runs one test. If it has not ended by then, prints where its
processes are (with gdb, where there is one), ends them, and fails with status 124."""
import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys


def members(session):
    """The processes of a session, the oldest first."""
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            pid, rest = int(stat.parent.name), stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        if int(rest[3]) == session:
            found.append(pid)
    return sorted(found)


def print_stack(pid):
    command = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")
    print(f"--- process {pid}: {command.decode(errors='replace')}", flush=True)
    if shutil.which("gdb"):
        subprocess.run(["gdb", "-p", str(pid), "-batch", "-nx", "-ex", "set debuginfod enabled off",
                        "-ex", "thread apply all bt 20"], stdin=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=60, check=False)


def main():
    limit, command = float(sys.argv[1]), sys.argv[2:]
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        status = child.wait(limit)
        sys.exit(status if status >= 0 else 128 - status)
    except subprocess.TimeoutExpired:
        print(f"FAIL: no end within {limit:g} s: {' '.join(command)}", flush=True)
        for pid in members(child.pid):
            try:
                print_stack(pid)
            except (OSError, subprocess.TimeoutExpired) as error:
                print(f"no stack of {pid}: {error}", flush=True)
        sys.exit(124)
    finally:
        for pid in members(child.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


if __name__ == "__main__":
    main()
