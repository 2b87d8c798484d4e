"""Importable dotted names of a Python package, read from a wheel with ast alone.

A module's public names are its `__all__` where that can be read, else its top-level definitions
without a leading underscore. Names that a package imports from its own modules count when they
are in `__all__` or the importing file is an `__init__.py`. Classes give their methods as well.
"""

import ast

# Modules of torch_npu and torch whose names nobody takes from there.
SKIP_PARTS = ("_inductor", "dynamo", "testing", "_op_plugin_docs", "csrc", "_init", "_compat",
              "_compiler", "_afd", "_refs", "_decomp", "_prims", "_numpy", "_vendor", "_export")


def public_names(archive, package):
    modules = {}
    for path in archive.namelist():
        if path.startswith(package + "/") and path.endswith(".py"):
            module = dotted(path)
            if not any(part in SKIP_PARTS for part in module.split(".")):
                modules[module] = parse(archive.read(path), path.endswith("__init__.py"))
    found = {}
    for module in modules:
        if all(not part.startswith("_") for part in module.split(".")):
            found[module] = "module"
            for name in visible(modules, module, frozenset()):
                add(found, modules, module, name)
    return found


def dotted(path):
    parts = path[:-3].split("/")
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


class Module:
    def __init__(self, package):
        self.is_package = package
        self.defined = {}   # name -> kind
        self.methods = {}   # class -> [(method, kind)]
        self.imported = {}  # name -> (level, module, original name)
        self.stars = []     # (level, module)
        self.all = None     # literal names, or None


def parse(source, package):
    module = Module(package)
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return module
    for node in statements(tree.body):
        read_statement(module, node)
    return module


def statements(body):
    """Top-level statements, looking into if/try/with blocks."""
    for node in body:
        if isinstance(node, (ast.If, ast.Try, ast.With)):
            for field in ("body", "orelse", "finalbody"):
                yield from statements(getattr(node, field, []))
        else:
            yield node


def read_statement(module, node):
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        module.defined[node.name] = "function"
    elif isinstance(node, ast.ClassDef):
        module.defined[node.name] = "class"
        module.methods[node.name] = [
            (n.name, "property" if is_property(n) else "method") for n in node.body
            if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            if alias.name == "*":
                module.stars.append((node.level, node.module or ""))
            else:
                origin = (node.level, node.module or "", alias.name)
                module.imported[alias.asname or alias.name] = origin
    elif isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
        read_assignment(module, node)


def is_property(node):
    names = {d.id if isinstance(d, ast.Name) else getattr(d, "attr", "")
             for d in node.decorator_list}
    return bool(names & {"property", "cached_property", "setter"})


def read_assignment(module, node):
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    for target in targets:
        if isinstance(target, ast.Name):
            if target.id == "__all__":
                names = literal_names(node.value)
                module.all = (module.all or []) + names
            else:
                module.defined.setdefault(target.id, "attribute")


def literal_names(value):
    """Strings in a list, tuple or sum of such; other parts of a sum are ignored."""
    if isinstance(value, (ast.List, ast.Tuple)):
        return [e.value for e in value.elts if isinstance(e, ast.Constant)
                and isinstance(e.value, str)]
    if isinstance(value, ast.BinOp):
        return literal_names(value.left) + literal_names(value.right)
    return []


def visible(modules, name, seen):
    module = modules[name]
    if name in seen:
        return []
    listed = list(module.all or [])
    if not listed:
        listed = [n for n in module.defined if not n.startswith("_")]
    if module.is_package:
        package = name.split(".")[0]
        listed += [n for n, (level, origin, _) in module.imported.items()
                   if not n.startswith("_") and (level or origin.split(".")[0] == package)]
    for level, origin in module.stars:
        target = resolve(name, module.is_package, level, origin)
        if target in modules:
            listed += visible(modules, target, seen | {name})
    return sorted(set(listed))


def resolve(name, package, level, origin):
    if level == 0:
        return origin
    parts = name.split(".")
    parts = parts[:len(parts) - level + (1 if package else 0)]
    return ".".join(parts + ([origin] if origin else []))


def add(found, modules, module, name):
    kind, home, original = locate(modules, module, name, 0)
    full = f"{module}.{name}"
    if kind == "module" or full in modules:
        found.setdefault(full, "module")
        return
    found[full] = kind
    if kind == "class":
        for method, method_kind in modules[home].methods.get(original, []):
            if not method.startswith("_"):
                found[f"{full}.{method}"] = method_kind


def locate(modules, module, name, depth):
    """(kind, module that defines it, its name there), following imports inside the package."""
    here = modules.get(module)
    if here is None or depth > 8:
        return "attribute", module, name
    if name in here.defined and not (here.defined[name] == "attribute" and name in here.imported):
        return here.defined[name], module, name
    if name in here.imported:
        level, origin, original = here.imported[name]
        target = resolve(module, here.is_package, level, origin)
        if f"{target}.{original}" in modules:
            return "module", target, original
        return locate(modules, target, original, depth + 1)
    for level, origin in here.stars:
        target = resolve(module, here.is_package, level, origin)
        if target in modules and name in visible(modules, target, frozenset()):
            return locate(modules, target, name, depth + 1)
    return "attribute", module, name
