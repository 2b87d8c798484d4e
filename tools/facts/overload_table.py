"""facts/support/overload.tsv: every aten overload and torch_npu operator, and who serves it."""

from tables import EXTRACTS, NONE, provenance_field, read_table, write_table

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
    """aclnn names and CPU paths inside kernels, from reading op-plugin's sources."""
    present = {r["aclnn"] for r in read_table(EXTRACTS / "torch_npu-aclnn.tsv")[1]}
    for given in read_table(EXTRACTS / "given-aten-support.tsv")[1]:
        name = given["overload"]
        name = name if given["namespace"] == "aten" else f"npu::{name}"
        if name not in rows:
            continue
        record = rows[name]
        listed = [n for column in ("aclnn_yaml_exec", "aclnn_from_cpp")
                  for n in given[column].split(",") if n in present]
        if listed:
            record["aclnn"] = ",".join(dict.fromkeys(listed))
        if given["cpu_path_in_kernel"] != NONE:
            record["notes"].append("cpu_path:" + given["cpu_path_in_kernel"]
                                   .replace("opapi", "op_api").replace("aclops", "acl_op")
                                   .replace(",", "/"))
        if listed or given["cpu_path_in_kernel"] != NONE:
            record["source"].append("op-plugin")


def add_leaves(rows):
    path = EXTRACTS / "torch-decompositions.tsv"
    for row in read_table(path)[1] if path.exists() else []:
        if row["overload"] in rows:
            rows[row["overload"]]["leaves"] = row["leaves"]
            rows[row["overload"]]["source"].append("trace")
