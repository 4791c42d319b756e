#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""Writes plate_with_hole.mtx: the stiffness matrix of a steel plate with a round hole.

A quarter of the plate (the rest follows by symmetry), plane stress, bilinear quadrilateral elements
that follow the hole's edge, two unknowns (displacements) a node. The standard problem of stress
concentration: small, sparse, symmetric positive definite, badly scaled enough to be honest.
"""

import math
import sys

RADIUS, HALF_WIDTH, THICKNESS = 0.01, 0.05, 0.002  # metres
YOUNG, POISSON = 210e9, 0.3  # steel: pascals, no unit
ACROSS, AROUND = 16, 32  # elements from the hole to the rim, and along a quarter of the hole


def node_place(i, j):
    """Coordinates of node i (0 at the hole) on ray j (0 along x)."""
    angle = 0.5 * math.pi * j / AROUND
    c, s = math.cos(angle), math.sin(angle)
    rim = HALF_WIDTH / max(c, s)
    r = RADIUS + (rim - RADIUS) * (i / ACROSS) ** 1.5  # finer where the stress is high
    return r * c, r * s


def element_stiffness(corners):
    """The 8 x 8 stiffness of a quadrilateral with 2 x 2 Gauss points."""
    factor = YOUNG / (1 - POISSON**2)
    d = [
        [factor, factor * POISSON, 0],
        [factor * POISSON, factor, 0],
        [0, 0, factor * (1 - POISSON) / 2],
    ]
    k = [[0.0] * 8 for _ in range(8)]
    g = 1 / math.sqrt(3)
    for xi, eta in ((-g, -g), (g, -g), (g, g), (-g, g)):
        signs = ((-1, -1), (1, -1), (1, 1), (-1, 1))
        dxi = [sx * (1 + sy * eta) / 4 for sx, sy in signs]
        deta = [sy * (1 + sx * xi) / 4 for sx, sy in signs]
        j11 = sum(a * p[0] for a, p in zip(dxi, corners))
        j12 = sum(a * p[1] for a, p in zip(dxi, corners))
        j21 = sum(a * p[0] for a, p in zip(deta, corners))
        j22 = sum(a * p[1] for a, p in zip(deta, corners))
        det = j11 * j22 - j12 * j21
        assert det > 0, "element turned inside out"
        b = [[0.0] * 8 for _ in range(3)]
        for n in range(4):
            dx = (j22 * dxi[n] - j12 * deta[n]) / det
            dy = (j11 * deta[n] - j21 * dxi[n]) / det
            b[0][2 * n], b[1][2 * n + 1], b[2][2 * n], b[2][2 * n + 1] = dx, dy, dy, dx
        db = [[sum(d[r][m] * b[m][c] for m in range(3)) for c in range(8)] for r in range(3)]
        for r in range(8):
            for c in range(8):
                k[r][c] += THICKNESS * det * sum(b[m][r] * db[m][c] for m in range(3))
    return k


def number_unknowns():
    """Maps (i, j, direction) to a number; the edges of symmetry cannot move across themselves."""
    unknowns = {}
    for j in range(AROUND + 1):
        for i in range(ACROSS + 1):
            for direction in (0, 1):
                held = (direction == 1 and j == 0) or (direction == 0 and j == AROUND)
                if not held:
                    unknowns[i, j, direction] = len(unknowns)
    return unknowns


def assemble():
    unknowns, matrix = number_unknowns(), {}
    for j in range(AROUND):
        for i in range(ACROSS):
            nodes = ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1))
            k = element_stiffness([node_place(*n) for n in nodes])
            places = [unknowns.get((*n, direction)) for n in nodes for direction in (0, 1)]
            for r, row in enumerate(places):
                for c, column in enumerate(places):
                    if row is not None and column is not None and row >= column:
                        matrix[row, column] = matrix.get((row, column), 0.0) + k[r][c]
    return len(unknowns), matrix


def main():
    n, matrix = assemble()
    out = sys.stdout
    out.write("%%MatrixMarket matrix coordinate real symmetric\n")
    out.write(
        "% Stiffness (N/m) of a quarter of a steel plate with a hole; made by make_plate.py\n"
    )
    out.write(f"{n} {n} {len(matrix)}\n")
    for (row, column), value in sorted(matrix.items(), key=lambda e: (e[0][1], e[0][0])):
        out.write(f"{row + 1} {column + 1} {value:.9g}\n")


if __name__ == "__main__":
    main()
