# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""The programs of benchmarks/suite, the conditions under which they are measured, and their figures."""

import dataclasses
import itertools

PAIRS = ("latency", "bw", "bibw", "mbw_mr", "multi_lat")
LAYOUTS = ("pack", "unpack", "typed_latency")
# Each is collectives.c under its name; the blocks of v- and w-variants are of one size, as the others'.
BLOCKING = (
    "barrier",
    "bcast",
    "reduce",
    "allreduce",
    "gather",
    "gatherv",
    "scatter",
    "scatterv",
    "allgather",
    "allgatherv",
    "alltoall",
    "alltoallv",
    "alltoallw",
    "reduce_scatter",
    "reduce_scatter_block",
    "scan",
    "exscan",
)
# The same programs with -n: the nonblocking form and MPI_Wait.
NONBLOCKING = tuple(f"i{name}" for name in BLOCKING)
COLLECTIVES = BLOCKING + NONBLOCKING
# One-sided communication. Each is transfers.c under its name; the atomics have one number of data.
ATOMICS = ("fop_latency", "cas_latency")
TRANSFERS = (
    "put_latency",
    "get_latency",
    "put_bw",
    "put_bibw",
    "get_bw",
    "acc_latency",
    "get_acc_latency",
) + ATOMICS
# Each is synchronization.c under its name.
SYNCHRONIZATION = ("lock", "lock_all", "lock_contended", "fence", "pscw", "win_create")
# Each is arrival.c under its name; the sizes of the first ones are numbers of arrivals.
ARRIVALS = ("arrivals_message", "arrivals_flag", "arrivals_notify", "arrivals_signal")
OVERLAP = ("overlap_message", "overlap_flag", "overlap_notify", "overlap_signal")
NOTIFIED = ("put_flag", "put_notify", "put_notify_polled", "put_signal") + ARRIVALS + OVERLAP
ONE_SIDED = TRANSFERS + SYNCHRONIZATION + NOTIFIED + ("computing_target",)
SIZELESS = ("barrier", "ibarrier", "init", "hello") + ATOMICS + SYNCHRONIZATION
# Whose rows are named.
NAMED_ROWS = LAYOUTS + ("computing_target",)
# Variants of matching.c; their sizes are numbers of receives or messages that wait.
MATCHING = ("posted", "posted_reverse", "unexpected", "unexpected_reverse")
# Variants of thread_rate.c; their sizes are numbers of threads.
THREADS = ("threads_own", "threads_shared")
PROGRAMS = PAIRS + LAYOUTS + COLLECTIVES + ONE_SIDED + MATCHING + THREADS + ("init", "hello")
# That take two ranks, no more.
OF_TWO = ("latency", "bw", "bibw") + NOTIFIED + ("computing_target",) + TRANSFERS + MATCHING + THREADS
# Whose data lie in buffers that can be placed, rotated and touched.
WITH_BUFFERS = tuple(
    p for p in PAIRS + LAYOUTS + COLLECTIVES + TRANSFERS + NOTIFIED if p not in SIZELESS + ARRIVALS
)
# What raw_collectives does, by what the programs do.
RAW = {"latency": "latency"}
for _name in ("bcast", "gather", "scatter", "allgather", "alltoall", "reduce", "allreduce"):
    RAW |= {f"{i}{_name}{v}": _name for i in ("", "i") for v in ("", "v", "w") if f"{_name}{v}" in BLOCKING}
TITLES = {
    "latency": "Latency, half a ping-pong",
    "multi_lat": "Latency, all pairs at once",
    "bw": "Bandwidth, one direction",
    "bibw": "Bandwidth, both directions",
    "mbw_mr": "Message rate, all pairs",
    "typed_latency": "Derived datatypes: half a ping-pong",
    "pack": "Derived datatypes: MPI_Pack",
    "unpack": "Derived datatypes: MPI_Unpack",
    "put_latency": "MPI_Put",
    "get_latency": "MPI_Get",
    "put_bw": "Bandwidth of MPI_Put, one direction",
    "put_bibw": "Bandwidth of MPI_Put, both directions",
    "get_bw": "Bandwidth of MPI_Get",
    "acc_latency": "MPI_Accumulate, sum of 64-bit integers",
    "get_acc_latency": "MPI_Get_accumulate, sum of 64-bit integers",
    "fop_latency": "MPI_Fetch_and_op, sum of a 64-bit integer",
    "cas_latency": "MPI_Compare_and_swap, 64-bit integer",
    "lock": "Exclusive MPI_Win_lock and unlock",
    "lock_all": "MPI_Win_lock_all and unlock_all",
    "lock_contended": "From one owner to the next of a lock that all ranks want",
    "fence": "MPI_Win_fence",
    "pscw": "Post, start, complete and wait with both neighbours",
    "win_create": "Making and freeing a window",
    "put_flag": "Put, flush, flag and flush, half a ping-pong",
    "put_notify": "Notified put, half a ping-pong",
    "put_notify_polled": "Notified put whose target reads the counter, half a ping-pong",
    "put_signal": "Put with a signal, half a ping-pong",
    "arrivals_message": "Arrivals and one wait: messages",
    "arrivals_flag": "Arrivals and one wait: put, flush, accumulate and flush",
    "arrivals_notify": "Arrivals and one wait: notified puts",
    "arrivals_signal": "Arrivals and one wait: puts with a signal",
    "overlap_message": "A message whose receiver computes for 1 ms: what it waits then",
    "overlap_flag": "Put, flush and flag whose target computes for 1 ms: what it waits then",
    "overlap_notify": "Notified put whose target computes for 1 ms: what it waits then",
    "overlap_signal": "Put with a signal whose target computes for 1 ms: what it waits then",
    "computing_target": "One operation while the target computes for another 280 ms",
    "posted": "A message while others are posted, in order",
    "posted_reverse": "A message while others are posted, last first",
    "unexpected": "Receiving one of the messages that wait, in order",
    "unexpected_reverse": "Receiving one of the messages that wait, last first",
    "threads_own": "Message rate of threads, each with a communicator",
    "threads_shared": "Message rate of threads that share a communicator",
    "init": "MPI_Init",
    "hello": "A whole job: mpirun, init, barrier, finalize",
}
# What is timed of collectives: the suite's option, and how a table calls it.
MODES = {
    "between": ([], "between barriers"),
    "with-barrier": (["-B"], "with the barrier behind each call"),
    "back-to-back": (["-L"], "back to back"),
}
# How a window comes by its memory, and what completes operations: the suite's names, and the tables'.
WINDOWS = {
    "allocate": "MPI_Win_allocate",
    "create": "MPI_Win_create",
    "dynamic": "MPI_Win_create_dynamic",
    "shared": "MPI_Win_allocate_shared",
}
SYNCS = {
    "flush": "flush behind each",
    "flush_local": "local flush behind each",
    "lock": "lock and unlock of each",
    "lock_all": "lock_all and unlock_all of each",
    "fence": "fence behind each",
    "pscw": "post, start, complete and wait of each",
}
NEIGHBOURS = {"compute": "computes", "stream": "streams through memory"}


def unit_of(program):
    """(unit, whether a higher figure is better)."""
    if program in ("bw", "bibw", "put_bw", "put_bibw", "get_bw"):
        return "MB/s", True
    if program == "mbw_mr" or program in THREADS:
        return "M messages/s", True
    return ("ms", False) if program in ("init", "hello") else ("us", False)


def parse_table(program, text, seconds):
    """{size: figure in the program's unit} of a run; size 0 for programs without sizes, the name
    of the layout or operation for those that have these."""
    if program == "hello":
        return {0: seconds * 1e3}
    if program == "init":
        words = text.replace(",", "").split()
        return {0: float(words[words.index("avg:") + 1])}
    figures = {}
    for line in text.splitlines():
        words = line.split()
        if not words or line.startswith("#"):
            continue
        if program in SIZELESS:
            figures[0] = float(words[0])
        elif program in NAMED_ROWS:
            figures[words[0]] = float(words[1])
        elif program == "mbw_mr":
            figures[int(words[0])] = float(words[2]) / 1e6
        elif program in THREADS:
            figures[int(words[0])] = float(words[1]) / 1e6
        else:
            figures[int(words[0])] = float(words[1])
    return figures


# ---------------------------------------------------------------- conditions


@dataclasses.dataclass(frozen=True)
class Condition:
    """How a program is measured. None: the option makes no sense for it, or was not given."""

    offset: str | None = None  # "N,M": how far behind a page buffers begin that are sent, and received
    rotate: str | None = None  # out of how much memory each call takes another buffer
    touch: bool = False
    neighbour: str | None = None
    mode: str | None = None  # of MODES
    window: str | None = None  # of WINDOWS
    sync: str | None = None  # of SYNCS

    def arguments(self):
        """The options of the suite's programs, and of raw_collectives."""
        words = [] if self.offset is None else ["-o", self.offset]
        words += [] if self.rotate is None else ["-r", self.rotate]
        words += ["-t"] if self.touch else []
        words += [] if self.neighbour is None else ["-N", self.neighbour]
        words += [] if self.window is None else ["-w", self.window]
        words += [] if self.sync is None else ["-S", self.sync]
        return words + (MODES[self.mode][0] if self.mode else [])

    def buffers(self):
        """How a table calls the buffers."""
        if self.offset is None:
            return "malloc'd buffers"
        first, _, second = self.offset.partition(",")
        return f"buffers at page + {first}, page + {second or first}"

    def caption(self, program):
        """How a table calls it all."""
        words = [f"window of {WINDOWS[self.window]}"] if self.window else []
        words += [SYNCS[self.sync]] if self.sync else []
        words += [self.buffers()] if program in WITH_BUFFERS else []
        words += [f"another one each time, out of {self.rotate}"] if self.rotate else []
        words += ["data written before and read behind"] if self.touch else []
        words += [f"beside a process a core that {NEIGHBOURS[self.neighbour]}"] if self.neighbour else []
        words += [MODES[self.mode][1]] if self.mode else []
        return "; ".join(words)


@dataclasses.dataclass(frozen=True)
class Case:
    """A program under a condition: a table, whose rows are sizes."""

    program: str
    condition: Condition = Condition()

    def name(self):
        caption = self.condition.caption(self.program)
        return f"{self.program} ({caption})" if caption else self.program

    def without_offset(self):
        """The case of which this one is a column."""
        return Case(self.program, dataclasses.replace(self.condition, offset=None))


def case_of(program, asked):
    """The case under the condition that was asked for, without what makes no sense for its program."""
    placed = program in WITH_BUFFERS
    measures = placed or program in COLLECTIVES + ONE_SIDED
    return Case(
        program,
        Condition(
            offset=asked.offset if placed else None,
            rotate=asked.rotate if placed else None,
            touch=asked.touch and placed,
            neighbour=asked.neighbour if measures else None,
            mode=asked.mode if program in COLLECTIVES else None,
            window=asked.window if program in ONE_SIDED else None,
            sync=asked.sync if program in TRANSFERS else None,
        ),
    )


def cases_of(options):
    """All cases that the options ask for, each once."""
    conditions = [
        Condition(offset, rotate, options.touch, options.neighbour, mode, window, sync)
        for mode, window, sync, rotate, offset in itertools.product(
            options.modes, options.windows, options.syncs, options.rotate, options.offsets
        )
    ]
    cases = [case_of(program, asked) for program in options.programs for asked in conditions]
    return list(dict.fromkeys(cases))


# ---------------------------------------------------------------- figures


def best(program, figures):
    return max(figures) if unit_of(program)[1] else min(figures)


def figure_text(value):
    if value >= 1000:
        return f"{value:,.0f}"
    if value >= 1:
        return f"{value:.1f}" if value >= 100 else f"{value:.2f}"
    return f"{value:.3g}"


def size_name(size):
    if isinstance(size, str):
        return size
    for shift, letter in ((20, "M"), (10, "K")):
        if size >= 1 << shift and size % (1 << shift) == 0:
            return f"{size >> shift} {letter}B"
    return f"{size} B"


def row_name(program, size):
    """What a row or a point of a program's figures is about."""
    if program in SIZELESS:
        return ""
    if program in THREADS:
        return f"{size} thread{'s' if size > 1 else ''}"
    return f"{size:,}" if program in MATCHING + ARRIVALS else size_name(size)


def title_of(program):
    return TITLES.get(program, f"MPI_{program.capitalize()}")


def heading(case):
    unit, higher = unit_of(case.program)
    caption = case.condition.caption(case.program)
    side = "higher" if higher else "lower"
    return f"{title_of(case.program)} ({unit}, {side} is better)" + (f": {caption}" if caption else "")


def sizes_of(program, by_size):
    """The rows of a table in order."""
    return list(by_size) if program in NAMED_ROWS else sorted(by_size)


def aligned(rows):
    """Rows as a Markdown table whose source lines up too."""
    widths = [max(3, *(len(row[i]) for row in rows)) for i in range(len(rows[0]))]
    lines = [
        [cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths))]
        for row in rows
    ]
    lines.insert(1, ["-" * w if i == 0 else "-" * (w - 1) + ":" for i, w in enumerate(widths)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
