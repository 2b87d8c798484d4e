"""What a name stands for in a tree of Python files, read with CPython's `ast`.

This is the oracle's own reading; it shares nothing with foothold. It follows imports (relative
ones, re-exports, stars, inside functions and try blocks), assignments, default arguments,
`functools.partial`, `getattr` with a literal, conditional expressions, `for` over a literal list
and attributes set on `self`. It does not follow values through calls.

A target is (kind, value, how): kind "ext" with a dotted name outside the tree, "mod" with a file,
"def" with (file, class or function node), or "none" for anything else. `how` is "direct" where
only imports and plain aliases were followed, else the last indirect step.
"""
import ast
import builtins
import os
import warnings

NONE = ("none", None, "direct")
# Always the installed package: pkg/utils/torch.py is not what `import torch` beside it means.
INSTALLED = {"torch", "triton", "torchvision", "numpy"}
# Long private spellings of public names, as people import them.
PRIVATE = (
    ("torch.nn.modules.container.", "torch.nn."), ("torch.nn.modules.utils.", None),
    ("torch.nn.parallel.distributed.", "torch.nn.parallel."),
    ("torch.cuda.amp.grad_scaler.", "torch.cuda.amp."),
    ("torch.cuda.amp.autocast_mode.", "torch.cuda.amp."),
    ("torch._six.", None),
)


def public(name):
    """The public spelling of a dotted name."""
    for prefix, short in PRIVATE:
        if name.startswith(prefix):
            return short + name[len(prefix):] if short else name
    parts = name.split(".")
    if name.startswith("torch.nn.modules.") and parts[-1][:1].isupper():
        return "torch.nn." + parts[-1]
    if name.startswith("torch.optim.") and parts[-1][:1].isupper() and "lr_scheduler" not in parts:
        return "torch.optim." + parts[-1]
    return name


class Scope:
    def __init__(self, node, parent):
        self.node, self.parent, self.names = node, parent, {}
        self.is_class = isinstance(node, ast.ClassDef)
        self.outside = set()                     # global and nonlocal

    def bind(self, name, value):
        self.names.setdefault(name, []).append(value)


class Module:
    def __init__(self, tree, file, source, first_line=1):
        self.file, self.source = file, source
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.ast = ast.parse(source)
        self.tree, self.first_line = tree, first_line
        self.lines = source.split("\n")            # as ast counts: a form feed ends no line
        self.scopes = {}
        self.stars = []
        self.self_attributes = {}                # class node -> name -> [(expression, scope)]
        self.top = Scope(self.ast, None)
        self.scopes[self.ast] = self.top
        Binder(self).run()


class Binder(ast.NodeVisitor):
    """Records what each scope binds, as (expression or marker, how, scope) to resolve later."""

    def __init__(self, module):
        self.module, self.scope, self.classes = module, module.top, []

    def run(self):
        for statement in self.module.ast.body:
            self.visit(statement)

    def inside(self, node, body, arguments=None):
        scope = Scope(node, self.scope)
        self.module.scopes[node] = scope
        if arguments is not None:
            self.arguments(scope, arguments)
        outer, self.scope = self.scope, scope
        for part in body:
            self.visit(part)
        self.scope = outer

    def arguments(self, scope, arguments):
        plain = arguments.posonlyargs + arguments.args
        defaults = [None] * (len(plain) - len(arguments.defaults)) + arguments.defaults
        for arg, default in list(zip(plain, defaults)) + list(
                zip(arguments.kwonlyargs, arguments.kw_defaults)):
            scope.bind(arg.arg, ("expr", default, "default", self.scope) if default else
                       ("none", None, "parameter", self.scope))
        for arg in (arguments.vararg, arguments.kwarg):
            if arg:
                scope.bind(arg.arg, ("none", None, "parameter", self.scope))

    def visit_FunctionDef(self, node):
        self.scope.bind(node.name, ("def", node, "direct", self.scope))
        for part in node.decorator_list + node.args.defaults + [
                d for d in node.args.kw_defaults if d]:
            self.visit(part)
        self.inside(node, node.body, node.args)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node):
        self.inside(node, [node.body], node.args)

    def visit_ClassDef(self, node):
        self.scope.bind(node.name, ("def", node, "direct", self.scope))
        for part in node.bases + node.keywords + node.decorator_list:
            self.visit(part)
        self.module.self_attributes[node] = {}
        self.classes.append(node)
        self.inside(node, node.body)
        self.classes.pop()

    def comprehension(self, node):
        for generator in node.generators:
            self.loop(generator.target, generator.iter)
        self.generic_visit(node)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = comprehension

    def visit_Import(self, node):
        for alias in node.names:
            if alias.asname:
                self.scope.bind(alias.asname, ("import", (alias.name, 0), "direct", self.scope))
            else:
                top = alias.name.split(".")[0]
                self.scope.bind(top, ("import", (top, 0), "direct", self.scope))

    def visit_ImportFrom(self, node):
        for alias in node.names:
            if alias.name == "*":
                self.module.stars.append((node.module or "", node.level))
            else:
                self.scope.bind(alias.asname or alias.name, (
                    "from", (node.module or "", node.level, alias.name), "direct", self.scope))

    def visit_Global(self, node):
        self.scope.outside.update(node.names)

    visit_Nonlocal = visit_Global

    def target(self, target, value, how):
        if isinstance(target, ast.Name):
            self.scope.bind(target.id, ("expr", value, how, self.scope) if value is not None else
                            ("none", None, "unknown", self.scope))
        elif isinstance(target, (ast.Tuple, ast.List)):
            same = isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts)
            for index, part in enumerate(target.elts):
                self.target(part, value.elts[index] if same else None, how)
        elif isinstance(target, ast.Starred):
            self.target(target.value, None, how)
        elif isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and \
                target.value.id == "self" and self.classes and value is not None:
            self.module.self_attributes[self.classes[-1]].setdefault(target.attr, []).append(
                (value, self.scope))

    def loop(self, target, iterable):
        if isinstance(iterable, (ast.Tuple, ast.List)) and isinstance(target, ast.Name):
            for element in iterable.elts:
                self.target(target, element, "loop")
        else:
            self.target(target, None, "loop")

    def visit_Assign(self, node):
        for target in node.targets:
            self.target(target, node.value, "direct")
        self.generic_visit(node)

    def visit_AnnAssign(self, node):
        if node.value:
            self.target(node.target, node.value, "direct")
        self.generic_visit(node)

    def visit_NamedExpr(self, node):
        self.target(node.target, node.value, "direct")
        self.generic_visit(node)

    def visit_AugAssign(self, node):
        self.target(node.target, None, "direct")
        self.generic_visit(node)

    def visit_For(self, node):
        self.loop(node.target, node.iter)
        self.generic_visit(node)

    visit_AsyncFor = visit_For

    def visit_With(self, node):
        for item in node.items:
            if item.optional_vars is not None:
                self.target(item.optional_vars, None, "with")
        self.generic_visit(node)

    def visit_ExceptHandler(self, node):
        if node.name:
            self.scope.bind(node.name, ("none", None, "unknown", self.scope))
        self.generic_visit(node)


class Tree:
    """All Python files of one code base; `files` maps relative paths to source text."""

    def __init__(self, files):
        self.modules, self.errors, self.paths = {}, {}, set(files)
        for file, source in files.items():
            try:
                self.modules[file] = Module(self, file, source)
            except (SyntaxError, ValueError, RecursionError) as error:
                self.errors[file] = str(error)
        self.busy, self.known, self.cycles = set(), {}, 0

    def find_module(self, name, level, importer):
        """The file of an imported module, or None for one outside the tree."""
        folder = os.path.dirname(importer)
        parts = [p for p in name.split(".") if p]
        if level:
            for _ in range(level - 1):
                folder = os.path.dirname(folder)
            return self.module_file(folder, parts)
        while parts and parts[0] not in INSTALLED:
            # A package's own folder is no import root: `import triton` inside pkg/ops/ does not
            # mean pkg/ops/triton.
            root = (folder + "/" if folder else "") + "__init__.py" not in self.paths
            found = self.module_file(folder, parts) if root else None
            if found and found != importer:
                return found
            if not folder:
                return None
            folder = os.path.dirname(folder)
        return None

    def module_file(self, folder, parts):
        path = "/".join([p for p in [folder] if p] + parts)
        for candidate in (path + ".py", (path + "/" if path else "") + "__init__.py"):
            if candidate in self.modules:
                return candidate
        return None

    def imported(self, name, level, importer):
        file = self.find_module(name, level, importer)
        if file:
            return [("mod", file, "direct")]
        folder = os.path.dirname(importer)
        root = (folder + "/" if folder else "") + "__init__.py" not in self.paths
        if not level and root and any(p.startswith((folder + "/" if folder else "") + name.replace(
                ".", "/") + "/") for p in self.paths):
            return [("pkg", name, "direct")]     # namespace package inside the tree
        return [("ext", name, "direct")] if not level else [NONE]

    def member(self, target, name, importer):
        """What `target.name` stands for."""
        kind, value, how = target
        if kind == "ext":
            return [("ext", value + "." + name, how)]
        if kind == "mod":
            found = self.module_name(value, name)
            if found:
                return [(k, v, how if h == "direct" else h) for k, v, h in found]
            if value.endswith("__init__.py"):
                inner = self.module_file(os.path.dirname(value), [name])
                if inner:
                    return [("mod", inner, how)]
            return [NONE]
        if kind == "pkg":
            return self.imported(value + "." + name, 0, importer)
        if kind == "def" and isinstance(value[1], ast.ClassDef):
            module = self.modules[value[0]]
            scope = module.scopes[value[1]]
            if name in scope.names:
                return self.bindings(module, scope.names[name], "class attribute")
        return [NONE]

    def module_name(self, file, name):
        return self.once(("module", file, name), lambda: self.module_name_inner(file, name))

    def module_name_inner(self, file, name):
        module = self.modules[file]
        if name in module.top.names:
            return self.bindings(module, module.top.names[name])
        for star, level in module.stars:
            for target in self.imported(star, level, file):
                if target[0] == "mod":
                    found = self.module_name(target[1], name)
                    if found:
                        return found
        return []

    def bindings(self, module, bound, step=None):
        found = []
        for kind, value, how, scope in bound:
            if kind == "none":
                found.append(("none", None, how))
            elif kind == "def":
                found.append(("def", (module.file, value), "direct"))
            elif kind == "import":
                found += self.imported(value[0], value[1], module.file)
            elif kind == "from":
                name, level, member = value
                for target in self.imported(name, level, module.file):
                    inner = self.find_module((name + "." if name else "") + member, level,
                                             module.file)
                    got = [t for t in self.member(target, member, module.file) if t != NONE]
                    if not got and inner:
                        got = [("mod", inner, "direct")]
                    found += got or [NONE]
            elif kind == "expr":
                for target in self.resolve(module, value, scope):
                    found.append((target[0], target[1], how if how != "direct" else target[2]))
        if step:
            found = [(k, v, step if h == "direct" else h) for k, v, h in found]
        return unique(found)

    def lookup(self, module, name, scope):
        return self.once((module.file, name, id(scope)),
                         lambda: self.lookup_inner(module, name, scope))

    def lookup_inner(self, module, name, scope):
        first = True
        while scope is not None:
            if name in scope.names and name not in scope.outside and (
                    first or not scope.is_class):
                return self.bindings(module, scope.names[name])
            first = first and isinstance(scope.node, ast.Lambda)
            first, scope = False, scope.parent
        for star, level in module.stars:
            for target in self.imported(star, level, module.file):
                if target[0] == "mod":
                    found = self.module_name(target[1], name)
                    if found:
                        return found
        stars = [self.imported(s, l, module.file)[0] for s, l in module.stars]
        outside = [t for t in stars if t[0] == "ext"]
        if outside and not hasattr(builtins, name):
            return [("ext", outside[-1][1] + "." + name, "star")]
        return [NONE]

    def resolve(self, module, node, scope):
        """All that an expression may stand for."""
        return self.once((id(node), id(scope)),
                         lambda: self.resolve_inner(module, node, scope))

    def once(self, key, work):
        """Result of `work`, kept unless a cycle cut it short."""
        if key in self.known:
            return self.known[key]
        if key in self.busy:
            self.cycles += 1
            return []
        before = self.cycles
        self.busy.add(key)
        try:
            result = unique(work())
        finally:
            self.busy.discard(key)
        if before == self.cycles:
            self.known[key] = result
        return result

    def resolve_inner(self, module, node, scope):
        if isinstance(node, ast.Name):
            return self.lookup(module, node.id, scope)
        if isinstance(node, ast.Attribute):
            if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
                return self.self_attribute(module, node.attr, scope)
            found = []
            for target in self.resolve(module, node.value, scope):
                found += self.member(target, node.attr, module.file)
            return found or [NONE]
        if isinstance(node, ast.Constant):
            return []                            # `name = None` of a guarded import
        if isinstance(node, ast.BoolOp):
            return [self.indirect(t, "choice") for value in node.values
                    for t in self.resolve(module, value, scope)
                    if not isinstance(value, ast.Constant)]
        if isinstance(node, ast.IfExp):
            return [self.indirect(t, "choice") for value in (node.body, node.orelse)
                    for t in self.resolve(module, value, scope)
                    if not isinstance(value, ast.Constant)]
        if isinstance(node, ast.Call):
            return self.made(module, node, scope)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Dict):
            return [self.indirect(t, "choice") for value in node.value.values
                    for t in self.resolve(module, value, scope)]
        return [NONE]

    def made(self, module, node, scope):
        """A call that gives back something callable we know."""
        for kind, value, _ in self.resolve(module, node.func, scope):
            if kind == "ext" and value == "functools.partial" and node.args:
                return [self.indirect(t, "partial") for t in
                        self.resolve(module, node.args[0], scope)]
        if isinstance(node.func, ast.Name) and node.func.id == "getattr" and len(node.args) > 1 \
                and isinstance(node.args[1], ast.Constant):
            return [self.indirect(m, "getattr") for t in
                    self.resolve(module, node.args[0], scope)
                    for m in self.member(t, str(node.args[1].value), module.file)]
        return [NONE]

    @staticmethod
    def indirect(target, how):
        return (target[0], target[1], how if target[2] == "direct" else target[2])

    def self_attribute(self, module, name, scope):
        while scope is not None and not scope.is_class:
            scope = scope.parent
        if scope is None:
            return [NONE]
        found = []
        for value, inner in module.self_attributes.get(scope.node, {}).get(name, []):
            found += [self.indirect(t, "attribute") for t in self.resolve(module, value, inner)]
        if not found and name in scope.names:
            found = self.bindings(module, scope.names[name], "class attribute")
        return found or self.inherited(module, name, scope) or [NONE]

    def inherited(self, module, name, scope):
        """An attribute that a base class inside the tree sets."""
        for base in scope.node.bases:
            for kind, value, _ in self.resolve(module, base, scope.parent or module.top):
                if kind == "def" and isinstance(value[1], ast.ClassDef):
                    other = self.modules[value[0]]
                    key = ("inherited", name, id(value[1]))
                    found = self.once(key, lambda: self.self_attribute(
                        other, name, other.scopes[value[1]]))
                    if found and found != [NONE]:
                        return [self.indirect(t, "base class") for t in found]
        return []

    def bases(self, module, node, seen=None):
        """Dotted names outside the tree that a class of the tree derives from."""
        seen = seen if seen is not None else set()
        if node in seen:
            return []
        seen.add(node)
        found = []
        scope = next((s for s in module.scopes.values() if any(
            b[1] is node for values in s.names.values() for b in values)), module.top)
        for base in node.bases:
            for kind, value, _ in self.resolve(module, base, scope):
                if kind == "ext":
                    found.append(public(value))
                elif kind == "def" and isinstance(value[1], ast.ClassDef):
                    found += self.bases(self.modules[value[0]], value[1], seen)
        return found


def unique(targets):
    kept = []
    for target in targets:
        if target not in kept:
            kept.append(target)
    return kept
