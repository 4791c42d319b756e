#!/usr/bin/env python3
# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""Prints the longest functions and files, the classes with the most members, the fullest folders, and
the headers that are included the most; and draws them. A picture, not a gate: docs/style.md has the limits and why.
Universal Ctags parses (apt-get install universal-ctags). A member is what a class declares itself: data,
functions, operators; of nested types and bases nothing counts. Virtual functions are those that are
declared virtual or override, destructors aside. A header's weight is its lines after the preprocessor.

usage: tools/style.py [--top 8] [--tests] [--compile "g++ -std=c++20"] [--picture FILE.svg] [SOURCE-FOLDER]
"""

import argparse
import collections
import dataclasses
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "benchmarks"))
from plots import svg_text  # noqa: E402

ENDS = {".cpp", ".hpp", ".h", ".c"}
LIMITS = {"functions": 70, "files": 800, "classes": 40, "folders": 40}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.M)
CTAGS = (
    "ctags --options=NONE --languages=C,C++ --langmap=C++:.cpp.hpp,C:.c.h --kinds-C++=+p --kinds-C=+p"
    " --fields=+neKsS --fields-C++=+{properties} --output-format=json --sort=no -L - -f -"
)


@dataclasses.dataclass
class Bar:
    """A line of a table and a bar of the picture, whose parts lie one behind the other."""

    name: str
    place: str
    parts: list

    @property
    def length(self):
        return sum(self.parts)


def sources(top, tests):
    """Sources of the project; those that a build has made are not among them."""
    aside = {"tests"} if not tests else set()
    for path in sorted(top.rglob("*")):
        folder = path.relative_to(top).parts[0]
        if path.suffix in ENDS and path.is_file() and not re.match(r"build|together|\.", folder):
            if folder not in aside and "build" not in path.relative_to(top).parts:
                yield path.relative_to(top)


def tags(top, files):
    """What Universal Ctags says of the files."""
    if not shutil.which("ctags"):
        sys.exit("style.py: ctags is missing: apt-get install universal-ctags")
    said = subprocess.run(
        shlex.split(CTAGS), cwd=top, input="\n".join(map(str, files)), text=True, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    if said.returncode != 0:
        sys.exit("style.py: this ctags is not Universal Ctags with JSON: apt-get install universal-ctags")
    return [json.loads(line) for line in said.stdout.splitlines()]


def functions(found):
    """Each function that has a body, with its lines."""
    return [
        Bar(re.sub(r"__anon\w+::", "", f"{tag.get('scope', '')}::{tag['name']}").lstrip(":"),
            f"{tag['path']}:{tag['line']}", [tag["end"] - tag["line"] + 1])
        for tag in found if tag["kind"] == "function" and "end" in tag
    ]  # fmt: skip


def classes(found):
    """Each class of a header, with its data, its plain and its virtual functions."""
    members = collections.defaultdict(lambda: [0, 0, 0])
    places, ends = {}, {}
    for tag in found:
        inside = tag.get("scope", "")
        if tag["kind"] in ("class", "struct"):
            name = f"{inside}::{tag['name']}".lstrip(":"), tag["path"]
            places[name], ends[name] = tag["line"], tag.get("end", tag["line"])
        if tag.get("scopeKind") not in ("class", "struct"):
            continue
        if tag["kind"] not in ("member", "function", "prototype"):
            continue
        # A function that is defined behind its class, in the same file, was counted where it is declared.
        if tag["line"] > ends.get((inside, tag["path"]), tag["line"]):
            continue
        words = set(tag.get("properties", "").split(","))
        kind = 0 if tag["kind"] == "member" else 1
        if words & {"virtual", "override", "final"} and not tag["name"].startswith("~"):
            kind = 2
        members[inside, tag["path"]][kind] += 1
    return [
        Bar(name, f"{path}:{places[name, path]}", parts)
        for (name, path), parts in members.items() if (name, path) in places
    ]  # fmt: skip


def headers(top, texts, compiler, count):
    """The headers that most files include, by themselves or by others, with lines after the preprocessor."""
    direct = {name: set(INCLUDE.findall(text)) for name, text in texts.items()}
    included = collections.Counter()
    for file in direct:
        seen, waiting = set(), list(direct[file])
        while waiting:
            header = waiting.pop()
            if header in direct and header not in seen:
                seen.add(header)
                waiting += direct[header]
        included.update(seen)
    bars = []
    for header, times in included.most_common(count):
        weight = ""
        if compiler:
            said = subprocess.run(
                [*shlex.split(compiler), f"-I{top}", f"-I{top}/include", "-E", "-x", "c++", str(top / header)],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False,
            )  # fmt: skip
            lines = sum(1 for line in said.stdout.splitlines() if line and line[0] != "#")
            weight = f"{lines:,} lines preprocessed" if said.returncode == 0 else "does not compile alone"
        bars.append(Bar(header, weight, [times]))
    return bars


def longest(bars, count):
    return sorted(bars, key=lambda bar: (-bar.length, bar.name))[:count]


def show(title, unit, bars, limit=None, over=0):
    print(f"\n{title} ({unit})" + (f"; limit {limit}, {over} above" if limit else ""))
    for bar in bars:
        parts = f" = {' + '.join(map(str, bar.parts))}" if len(bar.parts) > 1 else ""
        print(f"  {bar.length:6,}{parts:16}  {bar.name}  {bar.place}".rstrip())


def picture(tables):
    """Horizontal bars, a block a table; a dashed line is the limit."""
    colours = ("#3b6fb6", "#8fb3dd", "#d6336c")
    left, wide, high, out, y = 400, 520, 16, [], 20
    for title, unit, bars, limit in tables:
        scale = wide / max([bar.length for bar in bars] + [limit or 1])
        out.append(svg_text(10, y, f"{title} ({unit})", 13, "start", "#111", 'font-weight="600"'))
        begin = y = y + 8
        for bar in bars:
            out.append(svg_text(left - 6, y + 12, bar.name[-62:], 10, "end"))
            x = left
            for part, colour in zip(bar.parts, colours):
                shape = f'x="{x:.1f}" y="{y + 2}" width="{part * scale:.1f}" height="{high - 4}"'
                out.append(f'<rect {shape} fill="{colour}"/>')
                x += part * scale
            out.append(svg_text(x + 5, y + 12, f"{bar.length:,}", 10, "start", "#777"))
            y += high
        if limit:
            x = left + limit * scale
            out.append(f'<path d="M{x:.1f} {begin}V{y}" stroke="#c00" stroke-dasharray="3 3"/>')
        y += 30
    size = f'width="1000" height="{y}" viewBox="0 0 1000 {y}" font-family="Helvetica, Arial, sans-serif"'
    head = [f'<svg xmlns="http://www.w3.org/2000/svg" {size}>', f'<rect width="1000" height="{y}" fill="#fff"/>']
    return "\n".join([*head, *out, "</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--top", type=int, default=8, help="so many of each (default %(default)s)")
    parser.add_argument("--tests", action="store_true", help="tests/, too")
    parser.add_argument("--compile", metavar="COMMAND", help="weighs headers by this compiler and its options")
    parser.add_argument("--picture", metavar="FILE", help="draws the tables there, as SVG")
    parser.add_argument("folder", nargs="?", default=".", type=pathlib.Path, help="of the sources")
    options = parser.parse_args()
    files = list(sources(options.folder, options.tests))
    found = tags(options.folder, files)
    texts = {str(f): (options.folder / f).read_text(encoding="utf-8") for f in files}
    lines = [Bar(name, "", [text.count("\n")]) for name, text in texts.items()]
    crowds = collections.Counter(f"{file.parent}/" for file in files)
    folders = [Bar(name, "", [count]) for name, count in crowds.items()]
    tables = []
    for title, unit, bars in (
        ("functions", "lines", functions(found)),
        ("files", "lines", lines),
        ("classes", "members: data, blue; functions, pale; virtual functions, red", classes(found)),
        ("folders", "sources in one", folders),
    ):
        limit = LIMITS[title]
        chosen = longest(bars, options.top)
        tables.append((f"Largest {title}", unit, chosen, limit))
        show(*tables[-1], sum(bar.length > limit for bar in bars))
    chosen = headers(options.folder, texts, options.compile, options.top)
    tables.append(("Headers", f"of {len(files)} files so many include them", chosen, None))
    show(*tables[-1])
    if options.picture:
        pathlib.Path(options.picture).write_text(picture(tables), encoding="utf-8")
        print(f"\n{options.picture}")


main()
