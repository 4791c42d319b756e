# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""Plots as SVG: curves of benchmarks/compare, bars of benchmarks/checkpoints."""

import dataclasses
import itertools
import math
import pathlib

from cases import best, row_name, sizes_of, title_of, unit_of

COLOURS = {"remit": "#d6336c", "openmpi": "#3b6fb6", "mpich": "#2f9e6e"}
SPARE_COLOURS = ("#b7791f", "#7048c8", "#4a5568", "#0c8599", "#a61e4d")


@dataclasses.dataclass
class Panel:
    """One program's plot: log-log, figures over sizes."""

    left: float
    top: float
    width: float
    height: float
    sizes: list
    low: float
    high: float

    def x(self, index):
        return self.left + self.width * (index + 0.5) / len(self.sizes)

    def y(self, value):
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return self.top + self.height * (1 - share)


def decades(low, high):
    """1, 2, 5 steps between two values."""
    steps, power = [], 1e-6
    while power <= high:
        steps += [power * m for m in (1, 2, 5) if low <= power * m <= high]
        power *= 10
    return steps if len(steps) <= 7 else [s for s in steps if f"{s:e}".startswith("1.0")]


def svg_text(x, y, text, size=12, anchor="middle", colour="#333", extra=""):
    safe = text.replace("&", "&amp;").replace("<", "&lt;")
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" '
        f'fill="{colour}" {extra}>{safe}</text>'
    )


def plot_panel(panel, case, by_size, colours):
    program = case.program
    unit, higher = unit_of(program)
    title = f"{title_of(program)} ({unit}, {'higher' if higher else 'lower'} is better)"
    out = [
        svg_text(panel.left, panel.top - 26, title, 13, "start", "#111", 'font-weight="600"'),
        svg_text(panel.left, panel.top - 10, case.condition.caption(program), 11, "start", "#777"),
    ]
    for step in decades(panel.low, panel.high):
        y = panel.y(step)
        out.append(
            f'<line x1="{panel.left:.1f}" x2="{panel.left + panel.width:.1f}" y1="{y:.1f}" '
            f'y2="{y:.1f}" stroke="#e6e6ea"/>'
        )
        out.append(svg_text(panel.left - 6, y + 4, f"{step:,.6g}", 11, "end", "#777"))
    for index, size in enumerate(panel.sizes):
        name = row_name(program, size)
        out.append(svg_text(panel.x(index), panel.top + panel.height + 17, name, 11, colour="#777"))
    for name, colour in colours.items():
        points = []
        for index, size in enumerate(panel.sizes):
            figures = by_size[size].get(name)
            if not figures or min(figures) <= 0:
                continue
            x, y = panel.x(index), panel.y(best(program, figures))
            points.append(f"{x:.1f},{y:.1f}")
            out.append(
                f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{panel.y(min(figures)):.1f}" '
                f'y2="{panel.y(max(figures)):.1f}" stroke="{colour}" stroke-opacity="0.28" '
                'stroke-width="5" stroke-linecap="round"/>'
            )
            out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.6" fill="{colour}"/>')
        out.append(
            f'<polyline points="{" ".join(points)}" fill="none" stroke="{colour}" '
            'stroke-width="2"/>'
        )
    return out


def write_plot(path, mpis, options, results):
    """The plots of all cases in one SVG, two beside each other. `mpis`: what has figures."""
    spare = itertools.cycle(SPARE_COLOURS)
    colours = {mpi.name: COLOURS.get(mpi.name) or next(spare) for mpi in mpis}
    shown = list(results)
    columns, panel_width, panel_height = min(2, len(shown)), 380, 210
    rows = (len(shown) + columns - 1) // columns if shown else 0
    width, height = columns * (panel_width + 90) + 20, rows * (panel_height + 94) + 60
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="Helvetica, Arial, sans-serif">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    x = 76
    for name, colour in colours.items():
        out.append(f'<circle cx="{x}" cy="24" r="5" fill="{colour}"/>')
        out.append(svg_text(x + 10, 28, name, 13, "start"))
        x += 40 + 9 * len(name)
    note = f"{options.ranks} ranks; dot: best of {options.rounds} runs, bar: all of them"
    out.append(svg_text(x + 10, 28, note, 12, "start", "#777"))
    for index, case in enumerate(shown):
        by_size = results[case]
        values = [
            v
            for by_mpi in by_size.values()
            for figures in by_mpi.values()
            for v in figures
            if v > 0
        ]
        if not values:
            continue
        panel = Panel(
            76 + (index % columns) * (panel_width + 90),
            90 + (index // columns) * (panel_height + 94),
            panel_width,
            panel_height,
            sizes_of(case.program, by_size),
            min(values) / 1.3,
            max(values) * 1.3,
        )
        out += plot_panel(panel, case, by_size, colours)
    out.append("</svg>")
    pathlib.Path(path).write_text("\n".join(out) + "\n", encoding="utf-8")


# ---------------------------------------------------------------- bars


def write_bars(path, title, unit, panels):
    """Bars beside each other as SVG. `panels`: {heading: [(library, what, value), ...]}, in this order;
    the bars of a library have its colour, each further one a lighter one."""
    spare = itertools.cycle(SPARE_COLOURS)
    colours = {}
    for name in (bar[0] for bars in panels.values() for bar in bars):
        colours.setdefault(name, COLOURS.get(name) or next(spare))
    most = max((bar[2] for bars in panels.values() for bar in bars), default=0) or 1
    left, width, line = 230, 420, 20
    out, y = [], 46
    for heading, bars in panels.items():
        y += 30
        out.append(svg_text(20, y - 8, heading, 13, "start", "#111", 'font-weight="600"'))
        seen = {}
        for name, what, value in bars:
            seen[name] = seen.get(name, 0) + 1
            length = max(width * value / most, 1)
            out.append(svg_text(left - 8, y + 14, f"{name}, {what}", 12, "end"))
            out.append(
                f'<rect x="{left}" y="{y + 3}" width="{length:.1f}" height="{line - 6}" '
                f'fill="{colours[name]}" fill-opacity="{1 / seen[name]:.2f}"/>'
            )
            out.append(svg_text(left + length + 6, y + 14, f"{value:.3f}", 12, "start", "#555"))
            y += line
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 80}" height="{y + 20}" '
        f'viewBox="0 0 {left + width + 80} {y + 20}" font-family="Helvetica, Arial, sans-serif">',
        f'<rect width="{left + width + 80}" height="{y + 20}" fill="#fff"/>',
        svg_text(20, 28, f"{title} ({unit})", 14, "start", "#111", 'font-weight="600"'),
    ]
    pathlib.Path(path).write_text("\n".join([*head, *out, "</svg>"]) + "\n", encoding="utf-8")
