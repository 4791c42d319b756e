# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""Which cells of the tables are above a bound.

A cell is one program, condition and size. It counts by the lowest (for rates the highest) of its
alternated runs: how many times the time of a reference the first library takes. The reference is the
best of the others; where there are none, its own figure at the first pair of offsets. Two equal builds
that are compared the same way show what is noise.
"""

import dataclasses
import json
import math
import pathlib
import statistics

from cases import Case, Condition, aligned, best, figure_text, row_name, sizes_of, title_of, unit_of

RAW = "raw"  # the name under which the loops without MPI stand beside the libraries
SMALL = 16 << 10  # bytes up to which nothing is said of the raw loops
NOISE = 0.99  # of the cells of two equal builds are no further apart


@dataclasses.dataclass
class Cell:
    """One cell beside its reference."""

    case: Case
    size: int
    mine: float
    other: float
    name: str  # of the reference
    times: float  # how many times the time of the reference
    raw: float | None  # the loops without MPI, in the same minutes
    earlier: list = dataclasses.field(default_factory=list)  # `times` at other hours, None: not measured


class Figures:
    """The figures of one session: results[case][size][library] = one of each run."""

    def __init__(self, results, first, equal=None):
        self.results = results
        self.first = first  # the library whose cells count
        self.equal = equal  # the same build once more, or None
        self.offsets = list(dict.fromkeys(case.condition.offset for case in results))
        # Whether no other library was measured.
        self.alone = not any(
            self.others(case, size) for case, by_size in results.items() for size in by_size
        )

    def lowest(self, case, size, name):
        """The figure that counts, or None."""
        figures = self.results.get(case, {}).get(size, {}).get(name)
        return best(case.program, figures) if figures else None

    def others(self, case, size):
        """{library: figure} of the best that the first one can be compared with."""
        names = self.results[case][size]
        found = {name: self.lowest(case, size, name) for name in names}
        return {n: v for n, v in found.items() if n not in (self.first, self.equal, RAW) and v}

    def reference(self, case, size):
        """(name, figure) of what the first library is compared with, or None."""
        if self.alone:
            plain = dataclasses.replace(case.condition, offset=self.offsets[0])
            own = self.lowest(Case(case.program, plain), size, self.first)
            name = plain.buffers()
            return (name, own) if own and plain != case.condition else None
        others = self.others(case, size)
        if not others:
            return None
        name = (max if unit_of(case.program)[1] else min)(others, key=others.get)
        return name, others[name]

    def times(self, case, mine, other):
        """How many times the time of `other`."""
        return other / mine if unit_of(case.program)[1] else mine / other

    def ratio(self, case, size):
        """The first library's figure over that of the reference, or None."""
        mine, reference = self.lowest(case, size, self.first), self.reference(case, size)
        return mine / reference[1] if mine and reference else None

    def of_raw(self, case, size):
        """The first library's figure over that of the raw loops, or None."""
        mine, raw = self.lowest(case, size, self.first), self.lowest(case, size, RAW)
        return mine / raw if mine and raw else None

    def cell(self, case, size, by_raw=False):
        """The cell beside the reference, or beside the raw loops; None if either is missing."""
        mine, raw = self.lowest(case, size, self.first), self.lowest(case, size, RAW)
        reference = (RAW, raw) if by_raw else self.reference(case, size)
        if not mine or reference is None or not reference[1]:
            return None
        name, other = reference
        return Cell(case, size, mine, other, name, self.times(case, mine, other), raw)

    def cells(self, by_raw=False):
        found = [
            self.cell(case, size, by_raw)
            for case, by_size in self.results.items()
            for size in sizes_of(case.program, by_size)
            if not by_raw or (isinstance(size, int) and size > SMALL)
        ]
        return [cell for cell in found if cell is not None]

    def noise(self):
        """The factor within which the figures of two equal builds lie in NOISE of the cells, or None."""
        factors = []
        for case, by_size in self.results.items():
            for size in by_size:
                mine = self.lowest(case, size, self.first)
                again = self.lowest(case, size, self.equal)
                if mine and again:
                    factors.append(max(mine / again, again / mine))
        factors.sort()
        return factors[math.ceil(NOISE * len(factors)) - 1] if factors else None


# ---------------------------------------------------------------- records


def record_of(results):
    """The results as JSON has them: a list of cells."""
    return [
        {
            "program": case.program,
            **dataclasses.asdict(case.condition),
            "size": size,
            "figures": by_mpi,
        }
        for case, by_size in results.items()
        for size, by_mpi in by_size.items()
    ]


def results_of(record):
    """And back."""
    results = {}
    fields = [field.name for field in dataclasses.fields(Condition)]
    for cell in record:
        # What an older record does not have, its programs did not have either.
        case = Case(cell["program"], Condition(**{name: cell[name] for name in fields if name in cell}))
        results.setdefault(case, {})[cell["size"]] = cell["figures"]
    return results


def read_earlier(paths, ranks, first, equal):
    """The figures of earlier sessions with as many ranks. ValueError: a file is not such a record."""
    found = []
    for path in paths:
        try:
            record = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
            results = results_of(record["cells"])
            same = record["ranks"] == ranks
        except (OSError, ValueError, KeyError, TypeError) as problem:
            raise ValueError(f"{path} is no record of compare --json: {problem!r}") from problem
        if not same:
            raise ValueError(f"{path} is about {record['ranks']} ranks, not {ranks}")
        found.append(Figures(results, first, equal))
    return found


def add_earlier(cell, earlier, by_raw):
    """Puts into the cell what it was at other hours."""
    for figures in earlier:
        has = cell.size in figures.results.get(cell.case, {})
        before = figures.cell(cell.case, cell.size, by_raw) if has else None
        cell.earlier.append(before.times if before else None)


# ---------------------------------------------------------------- reporting


def verdict(cell, bound, noise):
    """What a cell is that is above the bound now or was at another hour."""
    hours = [cell.times, *cell.earlier]
    if any(times is not None and times <= bound for times in hours):
        return "not each time"
    return "within the noise" if noise and cell.times / noise <= bound else "above"


def ratio_text(value):
    return "-" if value is None else f"{value:.2f}"


def rows_of(cells, first, bound, noise, by_raw):
    """One row a cell, the furthest from its reference first. `first`: the library they are of."""
    hours = max((len(cell.earlier) for cell in cells), default=0)
    head = ["cell", "size", first, "unit", "raw" if by_raw else "reference", "ratio"]
    head += [f"ratio {hour} before" for hour in range(1, hours + 1)]
    head += [] if by_raw else ["raw", "of raw"]
    rows = [[*head, ""]]
    for cell in sorted(cells, key=lambda cell: -cell.times):
        program = cell.case.program
        text = figure_text(cell.other) + ("" if by_raw else f" ({cell.name})")
        row = [f"{title_of(program)}: {cell.case.condition.caption(program)}", row_name(program, cell.size)]
        row += [figure_text(cell.mine), unit_of(program)[0], text, ratio_text(cell.times)]
        row += [ratio_text(times) for times in cell.earlier]
        if not by_raw:
            row += ["-", "-"] if cell.raw is None else [figure_text(cell.raw), f"{cell.mine / cell.raw:.2f}"]
        rows.append([*row, verdict(cell, bound, noise)])
    return rows


def bound_text(figures, earlier, bound, by_raw=False):
    """The cells that are above a bound, now or at an earlier hour, as Markdown."""
    cells, noise = figures.cells(by_raw), figures.noise()
    against = "the raw loop" if by_raw else "the reference"
    if not cells:
        return f"### Cells above {bound:g} of {against}\n\nThere is nothing to compare with."
    for cell in cells:
        add_earlier(cell, earlier, by_raw)
    listed = [c for c in cells if any(t is not None and t > bound for t in (c.times, *c.earlier))]
    above = sum(verdict(cell, bound, noise) == "above" for cell in listed)
    text = f"### Cells above {bound:g} of {against}: {above} of {len(cells)}\n\n"
    text += means_text(cells, by_raw)
    if noise:
        text += f" Of two equal builds {NOISE:.0%} of the cells are within a factor of {noise:.3f}."
    if listed:
        text += " All cells that are above it now or were at an earlier hour:\n\n"
        text += aligned(rows_of(listed, figures.first, bound, noise, by_raw))
    return text


def means_text(cells, by_raw):
    """The geometric means, which hide no cell here, since those above the bound are listed."""
    small = [c.times for c in cells if not isinstance(c.size, int) or c.size <= SMALL]
    large = [c.times for c in cells if isinstance(c.size, int) and c.size > SMALL]
    parts = [(f"up to {SMALL >> 10} KB", small), ("above", large)]
    words = [f"{statistics.geometric_mean(times):.2f} {name}" for name, times in parts if times]
    against = "the raw loops" if by_raw else "the references"
    return f"Times that of {against}, geometric mean: {', '.join(words)}."
