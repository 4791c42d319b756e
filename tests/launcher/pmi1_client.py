#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""pmi1_client.py exchange|abort CODE|leave|garbage: a rank that knows PMI-1 and nothing else, as it is on the
wire, with the mistakes that its first argument says."""
import os
import socket
import sys


def connect():
    host, port = os.environ["PMI_PORT"].split(":")
    return socket.create_connection((host, int(port)), timeout=30)


class Launcher:
    def __init__(self, secret):
        self.file = connect().makefile("rw", newline="\n")
        self.say(f"cmd=initack pmiid={secret}")

    def say(self, line):
        self.file.write(line + "\n")
        self.file.flush()

    def hear(self):
        line = self.file.readline()
        if not line:
            raise EOFError
        return dict(word.split("=", 1) for word in line.rstrip("\n").split(" "))

    def ask(self, line):
        self.say(line)
        answer = self.hear()
        if answer.get("rc", "0") != "0":
            sys.exit(f"{line}: {answer}")
        return answer


def is_hung_up_on(secret, *lines):
    launcher = Launcher(secret)
    try:
        for line in lines:
            launcher.say(line)
        while True:
            launcher.hear()
    except (EOFError, ConnectionError):
        return True


def is_crowd_let_go():
    crowd = [connect() for _ in range(80)]
    try:
        return all(not someone.recv(1) for someone in crowd[:16])
    except ConnectionError:
        return True


def main(what, *arguments):
    secret = int(os.environ["PMI_ID"])
    launcher = Launcher(secret)
    launcher.hear()
    size, rank = int(launcher.hear()["size"]), int(launcher.hear()["rank"])
    launcher.hear()
    launcher.ask("cmd=init pmi_version=1 pmi_subversion=1")
    name = launcher.ask("cmd=get_my_kvsname")["kvsname"]
    if what == "garbage" and not (is_hung_up_on(secret ^ 1) and is_hung_up_on(secret) and is_hung_up_on("x") and
                                  is_hung_up_on(secret, "a" * 100000) and
                                  is_hung_up_on("1" * 100000) and is_crowd_let_go()):
        sys.exit("strangers are listened to")
    for turn in range(3):
        launcher.ask(f"cmd=put kvsname={name} key=card-{rank}-{turn} value={rank * size + turn:0500}")
        launcher.ask("cmd=barrier_in")
        for other in range(size):
            value = launcher.ask(f"cmd=get kvsname={name} key=card-{other}-{turn}")["value"]
            if int(value) != other * size + turn:
                sys.exit(f"rank {other}'s value is {value}")
    if what == "abort" and rank == 1:
        launcher.say(f"cmd=abort exitcode={arguments[0]}")
    if what == "leave" and rank == 1:
        sys.exit(0)
    mapping = launcher.ask(f"cmd=get kvsname={name} key=PMI_process_mapping")["value"]
    launcher.ask("cmd=barrier_in")
    launcher.ask("cmd=finalize")
    print(f"rank {rank} of {size} ok, {mapping}")


if __name__ == "__main__":
    main(*sys.argv[1:])
