# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""What is known of one code: where its source is, how it is built, what its own checks are."""

import dataclasses
import pathlib
import re
import sys
import tomllib

FOLDER = pathlib.Path(__file__).resolve().parent / "recipes"


@dataclasses.dataclass
class Check:
    """One of the code's own checks. `run` is a shell script in the code's folder, once for each number of
    ranks, which it has as $RANKS. `passed` and `failed` match once for each test of its output that did;
    `counted` has a group that is a number of tests that passed."""

    name: str
    run: str
    ranks: list = dataclasses.field(default_factory=lambda: [2])
    timeout: int = 600
    passed: str = ""
    failed: str = ""
    counted: str = ""

    def __post_init__(self):
        if not self.passed and not self.counted:
            raise TypeError(f"the check {self.name} counts nothing: it needs passed or counted")

    def count(self, output):
        """Tests that passed, and tests that failed."""
        passed = len(re.findall(self.passed, output, re.M)) if self.passed else 0
        if self.counted:
            passed += sum(int(number) for number in re.findall(self.counted, output, re.M))
        failed = len(re.findall(self.failed, output, re.M)) if self.failed else 0
        return passed, failed


@dataclasses.dataclass
class Recipe:
    """`kind`: "must" pass, or is "tried". `debian`: a source package; `pypi`: a source distribution.
    `apt`: packages that it needs; `pip`: those of Python, in a virtual environment whose programs come
    first. `build`: a shell script in the unpacked source, which has mpicc, mpicxx, mpif90 and mpirun of
    one library first in its path, and $JOBS and $INSTALL_HERE, a folder of its own; $QUICK is not empty for CI, which
    wants no more than its checks need, soon. `after`: codes whose folder it finds as $INSTALL_name."""

    name: str
    title: str
    about: str
    kind: str
    build: str
    checks: list
    debian: str = ""
    pypi: str = ""
    apt: list = dataclasses.field(default_factory=list)
    pip: list = dataclasses.field(default_factory=list)
    after: list = dataclasses.field(default_factory=list)
    ci: dict = dataclasses.field(default_factory=dict)  # names of checks that CI runs, and with which ranks


def load(path):
    """A recipe; ends the program with words if the file is none."""
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8"))
        said["checks"] = [Check(**check) for check in said.pop("checks")]
        recipe = Recipe(name=path.stem, **said)
    except (tomllib.TOMLDecodeError, TypeError, KeyError) as wrong:
        sys.exit(f"check_codes: {path.name} is no recipe: {wrong}")
    if bool(recipe.debian) == bool(recipe.pypi) or recipe.kind not in ("must", "tried"):
        sys.exit(f"check_codes: {path.name} needs one of debian and pypi, and kind must or tried")
    if recipe.pypi and not recipe.pip:
        sys.exit(f"check_codes: {path.name} needs pip: what its environment of Python has to build it")
    if unknown := set(recipe.ci) - {check.name for check in recipe.checks}:
        sys.exit(f"check_codes: {path.name} has no check {unknown.pop()}, which ci names")
    return recipe


def all_recipes():
    """By name, those that others need first."""
    found = {path.stem: load(path) for path in sorted(FOLDER.glob("*.toml"))}
    ordered = {}

    def add(name):
        if name in ordered:
            return
        if name not in found:
            sys.exit(f"check_codes: a recipe comes after {name}, of which there is none")
        for earlier in found[name].after:
            add(earlier)
        ordered[name] = found[name]

    for name in found:
        add(name)
    return ordered
