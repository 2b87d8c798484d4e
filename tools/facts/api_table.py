"""facts/support/api.tsv: public APIs of torch, what they do, and the overloads they run."""

from categories import category, is_heavy
from tables import (EXTRACTS, NONE, as_called, callers_of_out, read_table, without_quiet,
                    write_table)

COLUMNS = ["api", "kind", "torch", "class", "heavy", "returns", "result", "forward", "backward",
           "chips", "chips_2.7", "dtypes", "flags", "source"]
CHIPS = ("A2", "A3", "950DT")

# Calls that end in a kernel the tracing CPU has not; torch's documentation says what they give.
RESULTS = {"torch.nn.LSTM": "tuple", "torch.nn.GRU": "tuple", "torch.nn.LSTMCell": "tuple",
           "torch.nn.GRUCell": "Tensor"}


def write(path):
    source, api_rows = read_table(EXTRACTS / "torch-api.tsv")
    rows = {row["api"]: dict(row) for row in api_rows}
    add_traced(rows)
    add_equivalents(rows)
    add_documented(rows)
    for named in read_table(EXTRACTS / "torch-names.tsv")[1]:
        if named["api"] in rows:
            rows[named["api"]]["torch"] = named["versions"]
    for name, row in rows.items():
        if "[" in name:  # a variant of an optimizer is what the optimizer is
            row.update({k: rows[name.partition("[")[0]].get(k, NONE) for k in ("torch", "returns")})
    tags = tags_by_name()
    write_table(path, f"{source}; operators from torch-leaves.tsv; chips and data types from the "
                "support lists for torch 2.13 and 2.7", COLUMNS,
                (line(name, row, tags) for name, row in rows.items()))


def line(name, row, tags):
    files = [p.split(".")[3] for p in row["aliases"].split(",")
             if p.startswith("torch.nn.modules.") and p.count(".") > 3]
    value = category(name.partition("[")[0], row["kind"], files, tags.get(base_name(name), ()))
    source = [row.get("source", "walk")] + (["support-list"] if "chips" in row else [])
    return [name, row["kind"], row.get("torch", NONE), value,
            int(is_heavy(name, row["kind"], value)), row["returns"], row.get("result", NONE),
            row.get("forward", NONE), row.get("backward", NONE), row.get("chips", NONE),
            row.get("chips_2.7", NONE), row.get("dtypes", NONE), row.get("flags", NONE),
            "+".join(source)]


def base_name(api):
    parent, _, name = api.rpartition(".")
    for module in ("linalg", "special", "fft"):
        if parent == f"torch.{module}":
            return f"{module}_{name}"
    return name


def tags_by_name():
    found = {}
    for row in read_table(EXTRACTS / "torch-overloads.tsv")[1]:
        found.setdefault(row["overload"].partition(".")[0], set()).update(row["tags"].split(","))
    return found


def add_traced(rows):
    path = EXTRACTS / "torch-leaves.tsv"
    formulas, callers = backward_formulas(), callers_of_out()
    other = {alias: name for name, row in rows.items() for alias in row["aliases"].split(",")}
    for traced in read_table(path)[1] if path.exists() else []:
        name = traced["api"]
        if other.get(name) in rows:  # OpInfo's `torch.half`: the data type, not a function
            continue
        row = rows.setdefault(name, {"kind": traced_kind(name, rows), "returns": NONE,
                                     "aliases": NONE})
        last = name.rpartition(".")[2]
        row["forward"] = as_called(without_quiet(traced["forward"]), callers,
                                   last if last.endswith("_") else "")
        row["backward"] = NONE
        if traced["backward"] != NONE:
            backward = as_called(without_quiet(traced["backward"]), callers)
            row["backward"] = own_backward(row["forward"], backward, formulas)
        row["result"] = RESULTS.get(name, traced["result"])
        row["source"] = traced["source"]
        if row["returns"] == NONE:
            row["returns"] = traced["result"]


def add_equivalents(rows):
    """Names whose operators those of a traced one are, by how torch defines them."""
    natives = {row["overload"].partition(".")[0]
               for row in read_table(EXTRACTS / "torch-overloads.tsv")[1]}
    for name, row in rows.items():
        parent, _, last = name.rpartition(".")
        twin = None
        if parent == "torch.nn" and last.startswith("Lazy"):
            twin = "torch.nn." + last.removeprefix("Lazy")
        elif parent == "torch" and last in natives:
            twin = "torch.Tensor." + last
        elif parent == "torch.Tensor" and last in natives:
            twin = "torch." + last
        if "forward" not in row and "forward" in rows.get(twin, ()):
            row.update(forward=rows[twin]["forward"], backward=rows[twin]["backward"],
                       result=rows[twin]["result"], source="as:" + twin)


def backward_formulas():
    """{overload: backward overloads} where torch_npu brings a formula of its own."""
    known = {row["overload"] for name in ("torch_npu", "torch")
             for row in read_table(EXTRACTS / f"{name}-overloads.tsv")[1]}
    found = {}
    for row in read_table(EXTRACTS / "op_plugin-derivatives.tsv")[1]:
        names = [f"npu::{n}" if f"npu::{n}" in known else n for n in row["backward"].split(",")]
        if all(n in known for n in names):  # not a helper function inside a formula
            found[row["overload"]] = names
    for row in read_table(EXTRACTS / "noted.tsv")[1]:
        if row["backward"] != NONE:
            found[row["overload"]] = row["backward"].split(",")
    return found


def own_backward(forward, traced, formulas):
    """The traced backward, with torch_npu's formula in place of torch's where it has one."""
    leaves = forward.split(",")
    known = [leaf for leaf in leaves if leaf.rstrip("?") in formulas]
    if not known:
        return traced
    own = [name for leaf in known for name in formulas[leaf.rstrip("?")]]
    if leaves == known:
        return ",".join(dict.fromkeys(own))
    rest = [leaf if leaf.endswith("?") else leaf + "?" for leaf in traced.split(",")
            if leaf.rstrip("?") not in own and leaf != "none"]
    return ",".join(dict.fromkeys([name.rstrip("?") + "?" for name in own] + rest))


def traced_kind(name, rows):
    """Names that the walk leaves out: operators such as __getitem__, and variants `X[fused]`."""
    plain = name.partition("[")[0]
    return rows[plain]["kind"] if plain in rows else "method"


def add_documented(rows):
    for given in read_table(EXTRACTS / "given-api-support.tsv")[1]:
        name = given["api"]
        row = rows.get("torch." + name if name.startswith("Tensor.") else name)
        if row is None:
            continue
        row["chips"] = chips(given, "2.13")
        row["chips_2.7"] = chips(given, "2.7")
        row["dtypes"] = given["dtypes_only_213"] or NONE
        row["flags"] = given["flags_213"] or NONE


def chips(given, version):
    """Which chips a support list ticks: `A2,A3,950`, `none`, or `-` when it lacks the API."""
    cells = {chip: given[f"{version}_{chip}"] for chip in CHIPS}
    if set(cells.values()) == {NONE}:
        return NONE
    ticked = [chip.removesuffix("DT") for chip, cell in cells.items() if cell == "1"]
    return ",".join(ticked) or "none"


def same_function(known):
    """Pairs (old name, canonical) that users write and no walk can find."""
    pairs = [("torch.nn.functional.Tensor", "torch.Tensor")]
    return [(old, new) for old, new in pairs if new in known and old not in known]
