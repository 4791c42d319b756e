# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""The frame of the tests in which a rank is killed while others wait for it: deaths.h is that of their programs."""
import pathlib
import re
import sys

sys.dont_write_bytecode = True  # the source folder may be read-only
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "launcher"))

from launcher import LauncherTest  # noqa: E402

PARALLEL = 4  # most of the time a survivor waits for its next look at its peers
KILLED = 128 + 9
RANKS = 3
DYING = RANKS - 1


class DeathTest(LauncherTest):
    def survivors(self, title, *arguments, env):
        """What each survivor of a job says, a class and words, and all that was told, for messages. They have neither
        hung nor crashed, and mpirun has named the one that died."""
        out, err = self.run_job("--grace", "20", "-n", str(RANKS), *arguments, status=KILLED, env=env)
        told = f"{title}\n{out}\n{err}"
        self.assertNotIn("Sanitizer", err, told)
        self.assertRegex(self.the_message(err), rf"rank {DYING} \(pid .* was killed by signal 9", told)
        words = []
        for rank in range(DYING):
            said = re.search(rf"(?m)^rank {rank}, class (\d+): (.*)$", out)
            self.assertIsNotNone(said, told)
            self.assertIn(f"rank {rank} finalized with 0 failures", out, told)
            words.append((int(said[1]), said[2]))
        return words, told
