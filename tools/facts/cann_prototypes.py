"""Prototypes of aclnn operators as CANN's own headers and pages give them.

An argument is (kind, name): the kinds are those of device/rt/op.h, and a few more where C types
are met that no row of facts/ops.def has yet. `in`, `out`, `inout` and
`optional` (a tensor that may be absent) are tensors; `list` is a list of tensors that is read,
`outs` one that is written.
"""

import re
import subprocess

KINDS = {"aclTensor": "in", "aclTensorList": "list", "aclScalar": "number",
         "aclScalarList": "numbers", "aclIntArray": "integers", "aclFloatArray": "reals",
         "aclBoolArray": "bools", "aclDataType": "dtype", "aclFormat": "format", "char": "text",
         "int64_t": "integer", "int32_t": "int32", "int": "int32", "int8_t": "int8",
         "bool": "boolean", "double": "real", "float": "floating", "uint64_t": "unsigned",
         "uint32_t": "uint32", "int16_t": "int16", "uint8_t": "uint8"}
PROTOTYPE = re.compile(r"\b(aclnn[A-Z]\w*?)GetWorkspaceSize\s*\(([^(){};]*)\)")
ARGUMENT = re.compile(r"^(const\s+)?(\w+)\s*(const\s*)?(\**)\s*(?:const\s+)?(\w+)$")
PARAMETER = re.compile(r"@param\s*\[\s*(in|out|in/out|inout|in, out)\s*\]\s*(\w+)\s*:?(.*)")
ABSENT = re.compile(r"可选|可为空|可以为空|空指针|nullptr|NULL|[Oo]ptional")
INCLUDED = re.compile(r'#include\s*[<"](?:aclnnop/|level2/)?(aclnn_\w+\.h)[>"]')
# A tensor that only its name tells to be a result, where the type is const (headers that CANN
# generates declare results so).
RESULT = re.compile(r"^(?!grad|d[A-Z])(?:out|\w+Out|out[A-Z]\w*|\w+OutOptional)$")


def git(folder, *arguments):
    return subprocess.run(["git", f"--git-dir={folder}", *arguments], check=True,
                          capture_output=True).stdout.decode("utf-8", "replace")


def paths(folder):
    """Headers and pages of operators, without those of tests and stubs."""
    for path in git(folder, "-c", "core.quotepath=off", "ls-tree", "-r", "--name-only",
                    "HEAD").split("\n"):
        if re.search(r"(^|/)(tests?|stub|examples?|experimental)/", path):
            continue
        name = path.rsplit("/", 1)[-1]
        if re.match(r"aclnn_\w+\.h$", name) or (name.startswith("aclnn") and name.endswith(".md")):
            yield path


def comment_of(text, start):
    """The parameters that the comment just before `start` describes: {name: (direction, words)}."""
    before = text[:start]
    opening, closing = before.rfind("/**"), before.rfind("*/")
    if opening < 0 or closing < opening or re.search(r"[;{}]", before[closing:]):
        return {}
    found, last = {}, None
    for line in before[opening:closing].split("\n"):
        line = line.strip(" *")
        match = PARAMETER.match(line)
        if match:
            last = match[2]
            found[last] = [match[1].replace("inout", "in/out").replace("in, out", "in/out"), match[3]]
        elif last and not line.startswith("@"):
            found[last][1] += line
        else:
            last = None
    return found


def direction(name, constant, operator, said):
    """Kind of a tensor argument."""
    told, words = said.get(name, ("", ""))
    if told == "in/out" or name.endswith(("Ref", "RefOptional")):
        return "inout"
    if not constant or name == "out":
        return "out"
    if told == "out" or (told != "in" and RESULT.match(name)):
        return "out"
    if name.endswith("Optional") or name.startswith("optional") or ABSENT.search(words):
        return "optional"
    return "in"


def arguments(text, operator, said):
    """([(kind, name)], names that may be absent), or None when a type is not known."""
    made, absent = [], set()
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
    for part in re.sub(r"\s+", " ", text).split(","):
        match = ARGUMENT.match(part.strip())
        if not match:
            return None
        constant, kind, name = match[1] or match[3], KINDS.get(match[2]), match[5]
        pointer = match[4]
        if match[2] == "aclOpExecutor" or name in ("workspaceSize", "workspace_size") or \
                (match[2] == "uint64_t" and pointer):
            continue
        if kind is None or bool(pointer) != match[2].startswith(("acl", "char")) and \
                match[2] not in ("aclDataType", "aclFormat"):
            return None
        if kind == "in":
            kind = direction(name, constant, operator, said)
        elif kind == "list" and not constant:
            kind = "outs"
        if name.endswith("Optional") or ABSENT.search(said.get(name, ("", ""))[1]):
            absent.add(name)
        made.append((kind, name))
    return made, absent


def inplace(operator, made):
    """The first tensor of an operator that works in place is written, whatever its type says."""
    if operator.startswith("aclnnInplace") and not any(k in ("out", "inout") for k, _ in made):
        for index, (kind, name) in enumerate(made):
            if kind == "in":
                return [*made[:index], ("inout", name), *made[index + 1:]]
    if operator.startswith("aclnnInplace") and made and made[0][0] == "out":
        return [("inout", made[0][1]), *made[1:]]
    return made


def of_file(path, text):
    """(operator, arguments, absent, header) of each prototype in one header or page."""
    header = path.rsplit("/", 1)[-1]
    page = path.endswith(".md")
    for match in PROTOTYPE.finditer(text):
        if "xecutor" not in match[2]:
            continue
        said = {} if page else comment_of(text, text.rfind("\n", 0, match.start()) + 1)
        parsed = arguments(match[2], match[1], said)
        if parsed is None:
            continue
        made, absent = parsed
        if page:
            named = INCLUDED.findall(text)
            header = named[0] if named else "-"
        yield match[1], inplace(match[1], made), absent, header


def collect(folders):
    """{operator: {"header" or "documented": [(arguments, absent, header file, where)]}}"""
    found = {}
    for label, folder in folders:
        for path in paths(folder):
            kind = "documented" if path.endswith(".md") else "header"
            for operator, made, absent, header in of_file(path, git(folder, "show", f"HEAD:{path}")):
                entry = found.setdefault(operator, {"header": [], "documented": []})
                entry[kind].append((made, absent, header, f"{label}/{path}"))
    return found
