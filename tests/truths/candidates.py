#!/usr/bin/env python3
"""Lists candidates for a table of truths: what CPython's `ast` and the text of a tree show.

The output is a draft. Each line is then read in the code, and what is wrong or missing goes into
corrections.tsv by hand; tables.py joins the two.

usage: candidates.py FOLDER [--only KIND,KIND]
prints TSV: file, line, column, kind, name, expect, note
"""
import ast
import io
import json
import os
import re
import sys
import tokenize

from names import BORROWED, COPIES, METHODS, OPERATOR_PACKAGES, OWN, kind_of, optional
from resolve import Tree, public

SKIP = {".git", "__pycache__", "node_modules", ".venv", "build", "dist"}
CUDA_SUFFIXES = (".cu", ".cuh", ".h", ".hpp", ".cpp", ".cc")


def read_source(path):
    """Text of a Python file by its own coding line; BOM removed, line ends as in the file."""
    with open(path, "rb") as file:
        data = file.read()
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except SyntaxError:
        encoding = "latin-1"
    return data.decode(encoding, "replace").replace("\r\n", "\n").replace("\r", "\n")


def notebook_code(path):
    """Code cells of a notebook joined; magics, shell lines and cells of other languages blank."""
    with open(path, encoding="utf-8") as file:
        book = json.load(file)
    kept = []
    for cell in book.get("cells", []):
        if cell.get("cell_type") != "code":
            continue
        text = cell.get("source", "")
        text = "".join(text) if isinstance(text, list) else text
        lines = text.split("\n")
        first = next((line.strip() for line in lines if line.strip()), "")
        if first.startswith("%%") and first.split()[0] not in (
                "%%time", "%%timeit", "%%capture", "%%prun"):
            continue
        text = "\n".join(re.sub(r"\S.*", "pass", line) if re.match(r"\s*[%!?]", line) or
                         re.match(r"\s*\w+\?+\s*$", line) else line for line in lines)
        try:
            ast.parse(text)
        except SyntaxError as error:
            print(f"{path}: cell left out: {error}", file=sys.stderr)
            continue
        kept.append(text)
    return "\n".join(kept) + "\n"


def collect(root):
    """(python sources, other files) by path relative to `root`."""
    sources, others = {}, []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in SKIP)
        for name in sorted(files):
            path = os.path.join(folder, name)
            relative = os.path.relpath(path, root)
            if os.path.islink(path):
                continue
            if name.endswith(".py"):
                sources[relative] = read_source(path)
            elif name.endswith(".ipynb"):
                sources[relative] = notebook_code(path)
            elif name.endswith(CUDA_SUFFIXES):
                others.append(relative)
    return sources, others


def dotted(node):
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def place(node, lines):
    """Line and byte offset that a reader looks at: `cuda` of `f(x).cuda()`, the `@` of a product,
    the start of everything else (`torch.zeros(2)`, `model.cuda()`)."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and \
            not dotted(node.func):
        return node.func.end_lineno, node.func.end_col_offset - len(node.func.attr.encode())
    if isinstance(node, (ast.BinOp, ast.AugAssign)):
        left = node.left if isinstance(node, ast.BinOp) else node.target
        line, offset = left.end_lineno, left.end_col_offset
        while True:
            text = lines[line - 1].encode("utf-8")[offset:].split(b"#")[0]
            if b"@" in text:
                return line, offset + text.index(b"@")
            line, offset = line + 1, 0
    return node.lineno, node.col_offset


class Sites(ast.NodeVisitor):
    """Calls, `@`, decorators and attribute uses of interest in one module."""

    def __init__(self, tree, module):
        self.tree, self.module, self.scope, self.rows = tree, module, module.top, []
        self.called = set()
        self.visit(module.ast)

    def add(self, node, name, expect="must", note="", kind=None):
        kind = kind or kind_of(name)
        if kind is None:
            return
        line, offset = place(node, self.module.lines)
        text = self.module.lines[line - 1]
        column = len(text.encode("utf-8")[:offset].decode("utf-8", "replace")) + 1
        self.rows.append((self.module.file, line, column, kind, name, expect, note))

    def generic_visit(self, node):
        outer = self.scope
        if node in self.module.scopes:
            self.scope = self.module.scopes[node]
        super().generic_visit(node)
        self.scope = outer

    def header(self, node):
        for part in node.decorator_list:
            self.decorator(node, part)
            self.visit(part)

    def visit_FunctionDef(self, node):
        self.header(node)
        for part in node.args.defaults + [d for d in node.args.kw_defaults if d]:
            self.visit(part)
        outer, self.scope = self.scope, self.module.scopes[node]
        for part in node.body:
            self.visit(part)
        self.scope = outer

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node):
        self.header(node)
        for part in node.bases + [k.value for k in node.keywords]:
            self.visit(part)
        outer, self.scope = self.scope, self.module.scopes[node]
        for part in node.body:
            self.visit(part)
        self.scope = outer

    def decorator(self, node, part):
        target = part.func if isinstance(part, ast.Call) else part
        targets = self.tree.resolve(self.module, target, self.scope)
        names = {public(t[1]) for t in targets if t[0] == "ext"}
        for kind, value, how in targets:
            if kind == "ext" and public(value) in ("triton.jit", "triton.autotune"):
                if public(value) == "triton.jit":
                    first = min(d.lineno for d in node.decorator_list)
                    self.rows.append((self.module.file, node.lineno, 0, "triton_kernel",
                                      node.name, "must", f"decorators from {first}"))
                if isinstance(part, ast.Call):
                    self.called.add(part)
            elif kind == "ext" and not isinstance(part, ast.Call):
                self.add(part, public(value), "either" if len(names) > 1 else
                         "may" if optional(public(value)) else "must",
                         "decorator without a call")
                self.called.add(part)

    def visit_Call(self, node):
        if node not in self.called:
            self.call(node)
        if not isinstance(node.func, ast.Call):
            self.called.add(node.func)           # the name of a call is no use of its own
        super().generic_visit(node)

    def call(self, node):
        targets = self.tree.resolve(self.module, node.func, self.scope)
        outside = [t for t in targets if t[0] == "ext"]
        names = sorted({public(t[1]) for t in outside})
        several = len({t[:2] for t in targets}) > 1
        for name in names:
            how = next(t[2] for t in outside if public(t[1]) == name)
            note = [] if how == "direct" else ["through " + how]
            expect = "must"
            if len(names) > 1:
                expect = "either" if sum(kind_of(n) is not None for n in names) > 1 else "may"
                note.append("one of " + " ".join(names))
            elif several and any(t[0] == "def" for t in targets):
                expect = "may"
                note.append("or a local definition")
            elif how == "default" and any(t[0] == "none" for t in targets):
                expect = "may"
                note.append("which a look-up may replace")
            elif several and how not in ("default", "attribute", "base class"):
                note.append("or something unknown")
                expect = "may"
            self.special(node, name, expect, ", ".join(note))
        if not outside:
            self.local(node, targets)
        if isinstance(node.func, ast.Attribute) and not names and not any(
                t[0] in ("mod", "pkg") for t in targets):
            self.method(node, node.func.attr)

    def special(self, node, name, expect, note):
        if name == "torch.device" and node.args:
            text = literal(node.args[0])
            if text and text.startswith("cuda"):
                self.add(node, name, expect, "'" + text + "'", "device")
            return
        if name == "functools.partial" or name in ("torch.nn.init",):
            return
        if name.startswith("torch.distributed.init_process_group") or \
                name.endswith(".init_process_group"):
            backend = next((k.value for k in node.keywords if k.arg == "backend"),
                           node.args[0] if node.args else None)
            note = "; ".join(filter(None, [note, "backend " + (
                ast.unparse(backend) if backend is not None else "default")]))
        if name.split(".")[0] in OWN or optional(name):
            expect = "may"
        self.add(node, name, expect, note)
        for keyword in node.keywords:
            text = literal(keyword.value)
            if text and re.match(r"cuda(:\d+)?$", text) and name.split(".")[0] in (
                    "torch", "torchvision"):
                self.add(keyword.value, "string.cuda", expect,
                         f"{keyword.arg}='{text}' of {name}", "device")

    def local(self, node, targets):
        """A class of the tree: one that derives from a torch operator may be told as it; one that
        only has the name of a torch operator must not."""
        for kind, value, _ in targets:
            if kind != "def" or not isinstance(value[1], ast.ClassDef):
                continue
            name, told = value[1].name, False
            for base in self.tree.bases(self.tree.modules[value[0]], value[1]):
                if kind_of(base) == "operator":
                    self.add(node, base, "may", f"{name} derives from it")
                    told = True
            if name in BORROWED and not told and len(targets) == 1:
                self.add(node, "torch.nn." + name, "never",
                         f"class {name} of {value[0]}:{value[1].lineno}")

    def method(self, node, name):
        if name not in METHODS:
            return
        if name == "to":
            self.to(node)
            return
        expect, note = "must", "by method name"
        if METHODS[name] == "operator" and isinstance(node.func.value, ast.Name) and \
                node.func.value.id == "self":
            expect, note = "never", "a module in an attribute, not a tensor's method"
        if name in COPIES and (name == "numpy" or on_host(node.func.value)):
            expect, note = "may", "already on the host"
        self.add(node, "torch.Tensor." + name, expect, note, METHODS[name])

    def to(self, node):
        value = next((k.value for k in node.keywords if k.arg == "device"),
                     node.args[0] if node.args else None)
        text = literal(value)
        if text is None and isinstance(value, ast.Call):
            text = literal(value.args[0]) if value.args and any(
                t[1] == "torch.device" for t in
                self.tree.resolve(self.module, value.func, self.scope)) else None
        if text and text.startswith("cuda"):
            self.add(node, "torch.Tensor.to", "must", text, "device")
        elif value is not None and not text:
            source = ast.unparse(value)
            if not re.search(r"dtype|float|int|bool|half|half|_like|torch\.\w+$", source):
                self.add(node, "torch.Tensor.to", "may", "device in " + source, "device")

    def visit_BinOp(self, node):
        if isinstance(node.op, ast.MatMult):
            self.add(node, "torch.matmul", "must", "operator @")
        self.generic_visit(node)

    def visit_AugAssign(self, node):
        if isinstance(node.op, ast.MatMult):
            self.add(node, "torch.matmul", "must", "operator @=")
        self.generic_visit(node)

    def visit_Attribute(self, node):
        inner = node.value                       # the whole dotted name is one use
        while isinstance(inner, ast.Attribute):
            self.called.add(inner)
            inner = inner.value
        if node not in self.called:
            for kind, value, how in self.tree.resolve(self.module, node, self.scope):
                name = public(value) if kind == "ext" else ""
                if name.startswith("torch.backends.") and not isinstance(node.ctx, ast.Load):
                    self.add(node, name, "may" if optional(name) else "must", "assignment")
                elif name.startswith(("torch.cuda.", "torch.backends.")):
                    self.add(node, name, "may", "used, not called")
        self.generic_visit(node)

    def imported(self, node, name):
        top = name.split(".")[0]
        if top in OPERATOR_PACKAGES and not self.tree.find_module(name, 0, self.module.file):
            self.add(node, top, "may" if top in OWN else "must", "import of " + name,
                     "thirdparty")

    def visit_Import(self, node):
        for alias in node.names:
            self.imported(node, alias.name)

    def visit_ImportFrom(self, node):
        if not node.level:
            self.imported(node, node.module)


SPOKEN = (
    (re.compile(r"\b(?:torch\.)?nn\.([A-Z]\w+)\("), "torch.nn."),
    (re.compile(r"\bF\.([a-z]\w+)\("), "torch.nn.functional."),
    (re.compile(r"\btorch\.cuda\.([a-z]\w*)\("), "torch.cuda."),
    (re.compile(r"\.(cuda)\(\)"), "torch.Tensor."),
    (re.compile(r"\b(?:torch\.distributed|dist)\.([a-z]\w+)\("), "torch.distributed."),
    (re.compile(r"\btorch\.cuda\.amp\.(\w+)\("), "torch.cuda.amp."),
)


def spoken(module, rows):
    """Names in comments and documentation strings: no sites."""
    known = {(line, name) for _, line, _, _, name, _, _ in rows}
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(module.source).readline))
    except (tokenize.TokenError, SyntaxError):
        return
    for token in tokens:
        plain = token.type == tokenize.STRING and re.match(r'[rRuU]?("""|\'\'\')', token.string)
        if token.type != tokenize.COMMENT and not plain:
            continue
        for number, text in enumerate(token.string.split("\n")):
            line = token.start[0] + number
            for pattern, prefix in SPOKEN:
                for match in pattern.finditer(text):
                    name = prefix + match.group(1)
                    if kind_of(name) or prefix == "torch.Tensor.":
                        if (line, name) not in known:
                            known.add((line, name))
                            yield (module.file, line, 0, kind_of(name) or "device", name, "never",
                                   "comment" if token.type == tokenize.COMMENT else "string")


def literal(node):
    """A literal string, also an f-string that begins with literal text."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr) and node.values:
        return literal(node.values[0])
    if isinstance(node, ast.IfExp):
        return next((t for t in (literal(node.body), literal(node.orelse))
                     if t and t.startswith("cuda")), None)
    return None


def on_host(node):
    """Whether the receiver's own chain of calls has copied it to the host already."""
    while isinstance(node, (ast.Call, ast.Attribute, ast.Subscript)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and \
                node.func.attr in ("cpu", "numpy"):
            return True
        node = node.func if isinstance(node, ast.Call) else node.value
    return False


def without_comments(text):
    """C or C++ text with comments and string contents blanked, lines kept."""
    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"'
    return re.sub(pattern, lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)


def cuda_kernels(root, relative):
    with open(os.path.join(root, relative), encoding="utf-8", errors="replace") as file:
        text = without_comments(file.read())
    for match in re.finditer(r"\b__global__\b", text):
        line = text.count("\n", 0, match.start()) + 1
        rest = re.sub(r"__launch_bounds__\s*\((?:[^()]|\([^()]*\))*\)", lambda m: re.sub(
            r"[^\n]", " ", m.group()), text[match.end():match.end() + 2000])
        name = re.match(r"[\s\w:<>*&,]*?\b(\w+)\s*\(", rest)
        last = line + rest[:name.end()].count("\n") if name else line
        note = f"named in line {last}" if last != line else ""
        # A definition has a body; a declaration ends in a semicolon.
        after = rest[name.end():] if name else ""
        if re.match(r"[^{;]*;", after):
            note = (note + " declaration").strip()
        yield (relative, line, 0, "cuda_kernel", name.group(1) if name else "?",
               "may" if note.endswith("declaration") else "must", note)


def bom(root, relative):
    with open(os.path.join(root, relative), "rb") as file:
        return file.read(3) == b"\xef\xbb\xbf"


def list_tree(root):
    """All candidate rows of a tree, sorted, and the files that `ast` refuses."""
    sources, others = collect(root)
    tree = Tree(sources)
    rows = []
    for module in tree.modules.values():
        sites = Sites(tree, module).rows
        rows += sites
        if not module.file.endswith(".ipynb"):
            rows += spoken(module, sites)
    for relative in others:
        rows += cuda_kernels(root, relative)
    for relative in sources:
        if bom(root, relative):
            rows.append((relative, 1, 0, "bom", "utf-8 byte order mark", "must", ""))
    rows = [(f, 0, 0, *rest) if f.endswith(".ipynb") else (f, line, column, *rest)
            for f, line, column, *rest in rows]
    return sorted(rows), tree.errors


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    kinds = set(sys.argv[3].split(",")) if len(sys.argv) > 3 else None
    rows, errors = list_tree(sys.argv[1])
    for row in rows:
        if kinds is None or row[3] in kinds:
            print("\t".join(str(field) if field != 0 else "-" for field in row))
    for file, error in sorted(errors.items()):
        print(f"{file}: not Python 3 for this interpreter: {error}", file=sys.stderr)


if __name__ == "__main__":
    main()
