"""facts/support/overload.tsv: every aten overload and torch_npu operator, and who serves it."""

from tables import (EXTRACTS, NONE, as_called, callers_of_out, provenance_field, read_table,
                    without_quiet, write_table)

COLUMNS = ["overload", "torch", "class", "out", "op_api", "acl_op", "core", "aclnn", "returns",
           "leaves", "notes", "source"]


def write(path):
    torch_source, torch_rows = read_table(EXTRACTS / "torch-overloads.tsv")
    npu_source, npu_rows = read_table(EXTRACTS / "torch_npu-overloads.tsv")
    rows = {}
    for row in torch_rows:
        rows[row["overload"]] = {
            "torch": row["versions"], "class": row["class"], "out": row["out"],
            "returns": row["returns"], "notes": torch_notes(row), "source": ["torch"]}
    for row in npu_rows:
        record = rows.setdefault(row["overload"], {
            "torch": NONE, "class": "custom", "out": NONE, "returns": row["returns"],
            "notes": [], "source": []})
        record.update({k: row[k] for k in ("op_api", "acl_op", "core")})
        record["notes"] += npu_notes(row)
        record["source"].append("torch_npu")
    add_kernels(rows)
    for noted in read_table(EXTRACTS / "noted.tsv")[1]:
        rows[noted["overload"]]["notes"].append(noted["note"])
    add_leaves(rows)
    minors = provenance_field(npu_source, "minors")
    releases = provenance_field(npu_source, "releases")
    provenance = (f"aten overloads of torch {provenance_field(torch_source, 'minors')} and "
                  f"operators of torch_npu; ranges of op_api, acl_op, core are over torch_npu for "
                  f"torch; minors={minors}; releases={releases}; read 2026-11-30")
    write_table(path, provenance, COLUMNS, (line(name, record) for name, record in rows.items()))


def line(name, record):
    return [name, record["torch"], record["class"], record["out"], record.get("op_api", NONE),
            record.get("acl_op", NONE), record.get("core", NONE), record.get("aclnn", NONE),
            record["returns"], record.get("leaves", NONE), ",".join(record["notes"]) or NONE,
            "+".join(record["source"])]


def torch_notes(row):
    kept = {"pointwise": "pointwise", "nondeterministic_seeded": "random", "view": "view",
            "dynamic_output_shape": "dynamic_shape", "data_dependent_output": "reads_data",
            "inplace_view": "view"}
    return sorted({kept[t] for t in row["tags"].split(",") if t in kept})


def npu_notes(row):
    notes = []
    for flag in row["flags"].split(","):
        if flag in ("exposed", "internal_format_opapi"):
            notes.append("internal_format" if flag != "exposed" else flag)
    for column in ("dvm", "sparse"):
        if row[column] != NONE:
            notes.append(f"{column}:{row[column].replace(',', '/')}")
    return notes


def add_kernels(rows):
    """aclnn names and CPU paths inside kernels, from op-plugin's sources.

    A generated implementation names its operators exactly; for one written in C++ the list given
    to the project comes first, then what following its helpers finds.
    """
    present = {r["aclnn"] for r in read_table(EXTRACTS / "torch_npu-aclnn.tsv")[1]}
    followed = {r["overload"]: r for r in read_table(EXTRACTS / "op_plugin-aclnn.tsv")[1]}
    given = {}
    for row in read_table(EXTRACTS / "given-aten-support.tsv")[1]:
        name = row["overload"]
        given[name if row["namespace"] == "aten" else f"npu::{name}"] = row
    for name, record in rows.items():
        listed = kernels_of(followed.get(name), given.get(name), present)
        cpu_path = given.get(name, {}).get("cpu_path_in_kernel", NONE)
        if listed and "op_api" in record:
            record["aclnn"] = ",".join(listed)
        if cpu_path != NONE:
            record["notes"].append("cpu_path:" + cpu_path.replace("opapi", "op_api").replace(
                "aclops", "acl_op").replace(",", "/"))
        if listed or cpu_path != NONE:
            record["source"].append("op-plugin")
    for record in rows.values():
        if "aclnn" not in record and "aclnn" in rows.get(record["out"], {}):
            record["aclnn"] = rows[record["out"]]["aclnn"]


def kernels_of(followed, given, present):
    """Names that libtorch_npu.so of some release holds, in order, without repeats."""
    names = followed["aclnn"].split(",") if followed and followed["how"] == "exec" else []
    if not names and given:
        names = given["aclnn_yaml_exec"].split(",") + given["aclnn_from_cpp"].split(",")
        names = [n for n in names if n in present]
    if not names and followed:
        names = followed["aclnn"].split(",")
    return list(dict.fromkeys(n for n in names if n in present))


def add_leaves(rows):
    path = EXTRACTS / "torch-decompositions.tsv"
    callers = callers_of_out()
    for row in read_table(path)[1] if path.exists() else []:
        record = rows.get(row["overload"])
        if record and record["class"] != "via_out":  # `out` says what those run
            record["leaves"] = as_called(without_quiet(row["leaves"]), callers)
            record["source"].append("trace")
