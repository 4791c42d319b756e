#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""Feeds every reader of foreign bytes (tests/fuzz/surface.hpp) with any bytes: each surface for an
equal part of FUZZ_SECONDS (60) by libFuzzer, or, without it, with random changes of its seeds.
Runs in the top build folder. An input that breaks a property is kept, and its path printed.

FUZZ_SURFACES="link job" are these surfaces only; REMIT_TEST_SEED is the seed of all."""
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

PROGRAM = './tests/fuzz/fuzz'
FINDINGS = 'tests/fuzz/findings'
WORDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'words.dict')
SLOWEST_RUN = 120  # seconds: a run takes milliseconds, so one that lasts so long hangs, on a busy machine too
MEGABYTES = {'-rss_limit_mb': 2048, '-malloc_limit_mb': 192}


def surfaces():
    """libFuzzer or replay, and the longest input of each surface by name."""
    engine, *lines = subprocess.check_output([PROGRAM, '--list'], text=True).splitlines()
    longest = dict(line.split() for line in lines)
    wanted = os.environ.get('FUZZ_SURFACES', '').split() or list(longest)
    return engine, {name: longest[name] for name in wanted}


def run(command):
    """The status and the output of a command; both streams are one."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.returncode, done.stdout.decode(errors='replace')


def search(name, longest, seconds, seed, folder):
    """Lets libFuzzer look for an input; True if it found none."""
    seeds = os.path.join(folder, 'seeds')
    found = os.path.join(folder, 'found')
    for each in (seeds, found):
        os.makedirs(each)
    subprocess.check_call([PROGRAM, f'--surface={name}', f'--seeds={seeds}'])
    os.makedirs(FINDINGS, exist_ok=True)
    limits = [f'{key}={value}' for key, value in MEGABYTES.items()]
    command = [PROGRAM, f'--surface={name}', *limits, f'-max_total_time={seconds}',
               f'-max_len={longest}', f'-timeout={SLOWEST_RUN}', f'-seed={seed}', f'-dict={WORDS}',
               f'-artifact_prefix={FINDINGS}/{name}-', '-print_final_stats=1', '-close_fd_mask=2',
               '-use_value_profile=1', found, seeds]
    status, output = run(command)
    runs = re.search(r'stat::number_of_executed_units: *(\d+)', output)
    covered = re.findall(r'cov: (\d+)', output)
    kept = re.search(r'Test unit written to (\S+)', output)
    good = status == 0 and runs is not None and int(runs.group(1)) > 0
    print(f'{"ok  " if good else "FAIL"} {name:10} {runs.group(1) if runs else "no":>9} runs, '
          f'{covered[-1] if covered else "no"} places covered, seed {seed}', flush=True)
    if not good:
        print(output[-6000:])
        print('It was', shlex.join(command))
        if kept:
            print('Replay it with', f'{PROGRAM} --surface={name}', kept.group(1))
    return good


def replay(name):
    """Seeds and random changes of them; True if all properties hold."""
    status, output = run([PROGRAM, f'--surface={name}'])
    print('ok  ' if status == 0 else 'FAIL', name, output[-6000:].strip(), flush=True)
    return status == 0


def main():
    engine, longest = surfaces()
    if engine != 'libFuzzer':
        print('No libFuzzer here (it needs clang, and --enable-sanitizers=address): replaying seeds')
        return 0 if all([replay(name) for name in longest]) else 1
    seconds = max(1, int(os.environ.get('FUZZ_SECONDS', '60')) // len(longest))
    seed = int(os.environ.get('REMIT_TEST_SEED', '0'), 0) or random.SystemRandom().randrange(1, 2**31)
    print(f'{len(longest)} surfaces, {seconds} s each; REMIT_TEST_SEED={seed} for the same again')
    good = True
    for name in longest:
        folder = tempfile.mkdtemp(prefix='remit-fuzz-')
        try:
            good = search(name, longest[name], seconds, seed, folder) and good
        finally:
            shutil.rmtree(folder)
    if not os.listdir(FINDINGS):
        os.rmdir(FINDINGS)
    return 0 if good else 1


if __name__ == '__main__':
    sys.exit(main())
