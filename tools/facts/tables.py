"""Version ranges and TSV files shared by the generators of facts/.

A range is text over an ordered list of versions: `2.1-` (from 2.1 to the newest in the list),
`2.1-2.12`, `2.6`, or several joined by commas. `-` means none. A hole in the list (there is no
torch_npu for torch 2.2) does not split a range.
"""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXTRACTS = ROOT / "facts" / "extracts"
SUPPORT = ROOT / "facts" / "support"
NONE = "-"


def version_key(version):
    return tuple(int(part) for part in version.split("."))


def to_range(versions, known):
    """Text for a set of versions; `known` is the ordered list they come from."""
    have = [version in versions for version in known]
    parts, start = [], None
    for index, present in enumerate(have + [False]):
        if present and start is None:
            start = index
        elif not present and start is not None:
            first, last = known[start], known[index - 1]
            if index == len(known):
                parts.append(first + "-")
            else:
                parts.append(first if first == last else f"{first}-{last}")
            start = None
    return ",".join(parts) or NONE


def from_range(text, known):
    """The set of versions of `known` that a range covers."""
    if text == NONE:
        return set()
    found = set()
    for part in text.split(","):
        first, dash, last = part.partition("-")
        low = version_key(first)
        high = version_key(last) if last else (version_key(known[-1]) if dash else low)
        found.update(v for v in known if low <= version_key(v) <= high)
    return found


# Allocation and views: no kernel that computes; torch_npu serves them itself on every chip.
QUIET = {"as_strided", "view", "_reshape_alias", "empty.memory_format", "empty_strided",
         "empty_like", "resize_", "set_.source_Storage", "set_.source_Storage_storage_offset",
         "set_.source_Tensor", "unsqueeze", "squeeze", "squeeze.dim", "new_empty_strided",
         "view_as_real", "view_as_complex", "unfold"}


def without_quiet(leaves):
    """A list of leaves without allocation and views; `none` when nothing else runs."""
    kept = [leaf for leaf in leaves.split(",") if leaf.rstrip("?") not in QUIET]
    return ",".join(kept) if kept and kept != [NONE] else "none"


def callers_of_out():
    """{.out overload: the functional and in-place overloads that run it}, over all versions."""
    found = {}
    for row in read_table(EXTRACTS / "torch-overloads.tsv")[1]:
        for part in row["out"].split("|"):
            out = part.partition("@")[0]
            if out != NONE:
                found.setdefault(out, []).append(row["overload"])
    return found


def as_called(leaves, callers, inplace=""):
    """Leaves with the overload that torch called in place of the .out overload that it ends in.

    The device of the trace lets `gelu` run `gelu.out`, because torch_npu 2.13 registers the latter;
    a release that registers `gelu` is asked for that. `inplace` is the base name of an in-place API.
    """
    named = []
    for leaf in leaves.split(","):
        out, mark = leaf.rstrip("?"), "?" if leaf.endswith("?") else ""
        names = callers.get(out, [])
        wanted = [n for n in names if n.partition(".")[0] == inplace] or [
            n for n in names if not n.partition(".")[0].endswith("_")]
        named.append((wanted[0] if wanted else out) + mark)
    certain = {n for n in named if not n.endswith("?")}
    return ",".join(dict.fromkeys(n for n in named if n.rstrip("?") not in certain or n in certain))


def write_table(path, provenance, columns, rows):
    """Rows sorted bytewise by the first column; one line of provenance, one of names."""
    lines = []
    for row in rows:
        cells = [str(cell) if str(cell) else NONE for cell in row]
        if len(cells) != len(columns) or any("\t" in c or "\n" in c for c in cells):
            raise ValueError(f"{path}: bad row {row!r}")
        lines.append("\t".join(cells).encode())
    lines.sort(key=lambda line: line.split(b"\t"))
    keys = [line.split(b"\t", 1)[0] for line in lines]
    if len(set(keys)) != len(keys):
        twice = sorted({k for k in keys if keys.count(k) > 1})[:5]
        raise ValueError(f"{path}: keys met twice: {twice}")
    text = b"\n".join([b"# " + provenance.encode(), "\t".join(columns).encode()] + lines) + b"\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text)
    return text


def read_table(path):
    """(provenance, list of dicts); cells keep `-` for none."""
    lines = path.read_text(encoding="utf-8").split("\n")
    columns = lines[1].split("\t")
    rows = [dict(zip(columns, line.split("\t"))) for line in lines[2:] if line]
    return lines[0][2:], rows


def provenance_field(text, name):
    """The value of `name=...;` in a provenance line."""
    for part in text.split(";"):
        key, equals, value = part.strip().partition("=")
        if equals and key.strip() == name:
            return value.strip()
    raise KeyError(name)
