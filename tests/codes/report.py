# Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
"""What came of it: the tables of docs/codes.md, and the last lines of a run."""

BEGIN, END = "<!-- codes: begin -->", "<!-- codes: end -->"
TITLES = {"remit": "Remit", "mpich": "MPICH", "openmpi": "Open MPI"}
ABI_TITLES = {"mpich-abi": "MPICH 5", "intel-abi": "Intel MPI"}


def verdict(rows):
    """Of one code: "passes", or what is the matter. `rows`: its checks, each by library."""
    worst = []
    for name, row in rows.items():
        ours, theirs = row.get("remit"), row.get("mpich")
        if ours is None:
            worst.append(f"{name}: not run")
        elif ours["status"] is None:
            worst.append(f"{name}: {late(ours)}")
        elif theirs and ours["passed"] < theirs["passed"]:
            worst.append(f"{name}: {ours['passed']} tests pass, {theirs['passed']} with MPICH")
        elif not ours["good"] and not (theirs and theirs["failed"] >= ours["failed"] > 0):
            worst.append(f"{name}: {ours['failed']} failed" if ours["failed"] else f"{name}: status {ours['status']}")
    return "; ".join(worst) or ("passes" if rows else "not run")


def of_code(kept):
    if "skipped" in kept:
        return "skipped: " + kept["skipped"]
    if not kept["libraries"].get("remit"):
        return "does not build" if "remit" in kept["libraries"] else "not built with Remit"
    return verdict(kept["checks"])


def late(found):
    """Of a check that did not end: whether by its recipe's time or by --check-timeout."""
    return f"ended after {found['limit']} s" if "limit" in found else "out of time"


def cell(found):
    if found is None:
        return "-"
    wrong = ""
    if found["status"] is None:
        wrong = f", **{late(found)}**"
    elif found["failed"]:
        wrong = f", **{found['failed']} failed**"
    elif not found["good"]:
        wrong = f", **status {found['status']}**"
    return f"{found['passed']}{wrong}; {found['seconds']:g} s"


def rows_of(kept, recipe):
    """Check, number of ranks and results by library of those of its checks that ran, in the recipe's order."""
    names = [check.name for check in recipe.checks]
    ran = [(*key.rpartition("@")[::2], row) for key, row in kept.get("checks", {}).items() if row]
    known = [(check, int(ranks), row) for check, ranks, row in ran if check in names]
    return sorted(known, key=lambda found: (names.index(found[0]), found[1]))


def abi_table(results, known):
    """The same files on several libraries with the standard ABI."""
    rows = [
        (name, *found)
        for name in known
        for found in rows_of(results.get(name, {}), known[name])
        if any(library in found[-1] for library in ABI_TITLES)
    ]
    if not rows:
        return
    titles = {"remit": "Remit", **ABI_TITLES}
    yield "\n## Built once, run on several libraries\n"
    yield "| code | check | ranks | " + " | ".join(titles.values()) + " |"
    yield "|---|---|--:|" + "--:|" * len(titles)
    for name, check, ranks, row in rows:
        yield f"| {known[name].title} | {check} | {ranks} | {' | '.join(cell(row.get(library)) for library in titles)} |"


def tables(results, known):
    for kind, title in (("must", "Must pass"), ("tried", "Tried")):
        names = [name for name in known if name in results and known[name].kind == kind]
        if not names:
            continue
        yield f"\n## {title}\n"
        yield "| code | version | check | ranks | " + " | ".join(TITLES.values()) + " |"
        yield "|---|---|---|--:|" + "--:|" * len(TITLES)
        for name in names:
            kept = results[name]
            if "skipped" in kept or not kept.get("checks"):
                yield f"| {known[name].title} | {kept.get('version', '')} | {of_code(kept)} | | | | |"
                continue
            for check, ranks, row in rows_of(kept, known[name]):
                cells = " | ".join(cell(row.get(library)) for library in TITLES)
                yield f"| {known[name].title} | {kept['version']} | {check} | {ranks} | {cells} |"


def write(path, results, known):
    """Puts the tables between the two marks of a page."""
    text = path.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    made = [*tables(results, known), *abi_table(results, known)]
    path.write_text("\n".join([head + BEGIN, *made, "", END + tail]), encoding="utf-8")


def summary(results, known):
    """Prints a line a code, and how many pass; the status of the program."""
    print()
    bad = skipped = good = 0
    for name, kept in results.items():
        words = of_code(kept)
        print(f"{name:14} {words}")
        if words.startswith("skipped"):
            skipped += 1
        elif words == "passes":
            good += 1
        elif known[name].kind == "must":
            bad += 1
    print(f"{good} passed, {bad} failed, {skipped} skipped")
    return 1 if bad or not good + skipped else 0
