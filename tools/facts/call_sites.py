"""Calls of aclnn operators in op-plugin's C++, with a kind for each argument.

No C++ parser: a function's parameters and declarations give variables a type by their text, and an
expression has the kind of its type, of the function it calls, or of its literal. What that does
not tell is `?`, never a guess. A `~` after a kind: a pointer that may be NULL (optional<Scalar>...).
"""

import re

from extract_op_plugin import body_end, without_comments

DEFINITION = re.compile(r"(?<![\w.>])(\w+)\s*"
                        r"\(([^(){};]*(?:\([^(){};]*\)[^(){};]*)*)\)\s*(?:const\s*)?\{")
CALL = re.compile(r"\b(EXEC\w*(?:CMD|CMD_SYNC|CMD_EXT|_V[12]))\s*\(\s*(aclnn\w+)\s*,")
KEYWORDS = {"if", "for", "while", "switch", "catch"}
LOCAL = re.compile(
    r"(?:^|[;{}(,\n])\s*(?:static\s+|constexpr\s+)*((?:const\s+)?[A-Za-z_][\w:]*(?:<[^;={}()]*>)?)"
    r"\s*[&*]?\s+[&*]?(\w+)\s*(=(?!=)|\(|;|\{|\[)", re.M)
TUPLE = re.compile(r"\bauto&?\s*\[([\w, ]+)\]\s*=")
# Type, as written, to kind; first match.
TYPES = ((r"optional<.*Tensor>|OptionalTensorRef", "optional"),
         (r"(?:TensorList\b|vector<\s*(?:at::)?Tensor\s*>|ArrayRef<\s*(?:at::)?Tensor\s*>"
          r"|List<.*Tensor|ITensorListRef|TensorListWrapper)", "list"),
         (r"ArrayRef<\s*(?:at::|c10::)?Scalar\s*>|vector<\s*(?:at::|c10::)?Scalar\s*>", "numbers"),
         (r"array<\s*bool|ArrayRef<\s*bool|vector<\s*bool", "bools"),
         (r"IntArrayRef|SymIntArrayRef|ArrayRef<\s*(?:int64_t|c10::SymInt)|vector<\s*int64_t"
          r"|SmallVector<\s*int64_t|array<\s*int64_t|DimVector|array_to_small_vector", "integers"),
         (r"ArrayRef<\s*(?:float|double)|vector<\s*(?:float|double)", "reals"),
         (r"ScalarType|aclDataType", "dtype"), (r"\bScalar\b", "number"),
         (r"TensorWrapper|\bTensor\b", "in"), (r"\bint64_t\b|SymInt", "integer"),
         (r"\buint64_t\b|\bsize_t\b", "unsigned"), (r"\bint8_t\b", "int8"),
         (r"\bint32_t\b|\bint\b", "int32"), (r"\bbool\b", "boolean"), (r"\bdouble\b", "real"),
         (r"\bfloat\b", "floating"), (r"\bchar\b|string", "text"))
# Beginning or part of an expression to kind; first match.
EXPRESSIONS = (
    (r"^(?:true|false)$|^!", "boolean"), (r"^-?\d+$", "int32"), (r"^-?\d+(?:LL|L)$", "integer"),
    (r"^-?\d+\.\d*(?:e-?\d+)?$|^-?\d+e-?\d+$", "real"), (r"^-?\d+\.?\d*(?:e-?\d+)?f$", "floating"),
    (r'^"', "text"), (r"\.(?:data|c_str)\(\)$|^const_cast<char", "text"),
    (r"(?:apply_tensor\w*|^at::empty\w*|^at::zeros\w*|^at::ones\w*|^at::full\w*|OpPreparation::\w+"
     r"|\.(?:contiguous|clone|to|view|reshape|unsqueeze|squeeze|transpose|permute|t|expand|slice|"
     r"select|narrow|flatten|npu_dtype_cast))\(", "in"),
    (r"\.sizes\(\)$|array_to_small_vector|SmallVector<int64_t", "integers"),
    (r"scalar_type\(\)$|ConvertToAclDataType|GetAclDataType|^at::k[A-Z]\w+$|^ACL_\w+$", "dtype"),
    (r"\.(?:dim|numel|size|item\w*toLong|toLong)\([^()]*\)$|item<int64_t>", "integer"),
    (r"toDouble\(\)$|item<double>", "real"), (r"toFloat\(\)$|item<float>", "floating"),
    (r"toBool\(\)$|has_value\(\)$|==|!=|&&|\|\|", "boolean"), (r"^at::Scalar\(", "number"),
    (r"[Cc]ube_?[Mm]ath|get_cube_math_type", "int8"))
RESULT = re.compile(r"(?:apply_tensor\w*|at::empty\w*|at::zeros\w*|OpPreparation::\w+)\s*\(")


def split(text):
    """Parts of an argument list at commas outside of brackets."""
    parts, depth, start, quoted = [], 0, 0, False
    for index, letter in enumerate(text):
        if letter == '"' and text[index - 1:index] != "\\":
            quoted = not quoted
        elif quoted:
            continue
        elif letter in "([{" or (letter == "<" and re.search(r"\w$", text[:index])
                                 and re.match(r"<[\w:, *&<]*>", text[index:])):
            depth += 1
        elif letter in ")]}" or (letter == ">" and depth and text[index - 1:index] != "-"
                                 and re.search(r"<[\w:, *&<>]*$", text[start:index])):
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    parts.append(text[start:])
    return [" ".join(part.split()) for part in parts]


def kind_of_type(text):
    for pattern, kind in TYPES:
        if re.search(pattern, text):
            return kind
    return "?"


class Variables:
    """Names of one function: their kind, and whether a tensor is given, made here or written."""

    def __init__(self, parameters, body):
        self.kinds, self.given, self.written, self.made = {}, set(), set(), set()
        self.absent = set()
        for part in split(parameters):
            match = re.match(r"(.*?)[&*\s]+(\w+)(?:\s*=.*)?$", part)
            if not match:
                continue
            kind = kind_of_type(match[1])
            self.kinds[match[2]] = kind
            self.given.add(match[2])
            if re.search(r"[oO]ptional", match[1]) and kind in ("number", "integers", "list", "reals"):
                self.absent.add(match[2])
            if kind in ("in", "list") and "&" in part and not match[1].lstrip().startswith("const"):
                self.written.add(match[2])
        for match in LOCAL.finditer(body):
            kind, name = match[1], match[2]
            if kind in ("return", "else", "new", "case", "const", "goto", "delete", "using"):
                continue
            value = body[match.end():]
            value = " ".join(value[:value.find(";")].split()) if match[3] in "=(" else ""
            found = kind_of_type(kind) if kind.replace("const ", "") != "auto" else "?"
            if found == "?" and match[3] == "=":
                found = self.kind(value)
            if name not in self.given and (self.kinds.get(name, "?") == "?"):
                self.kinds[name] = found
            if RESULT.search(value) and found == "in":
                self.made.add(name)
            elif match[3] == ";" and found == "in":
                self.made.add(name)  # assigned in a branch

    def kind(self, text):
        """Kind of an expression."""
        text = text.strip()
        while text.startswith("(") and text.endswith(")") and body_of(text, 0) == len(text) - 1:
            text = text[1:-1].strip()
        if text in self.kinds:
            return self.kinds[text]
        cast = re.match(r"(?:static|const|reinterpret)_cast<\s*([^>]*?)\s*>\s*\(", text)
        if cast:
            return kind_of_type(cast[1])
        made = re.match(r"(?:at::|c10::|std::)?(IntArrayRef|TensorList|Scalar|optional<[^;]*?>"
                        r"|Tensor)\s*[({]", text)
        if made:
            return kind_of_type(made[1])
        chosen = re.match(r"[^?]+\?(.*):(?!:)(.*)$", text)
        if chosen and "::" not in chosen[1][-1:]:
            kinds = {self.kind(chosen[1]), self.kind(chosen[2])} - {"?"}
            return kinds.pop() if len(kinds) == 1 else "?"
        default = re.match(r"(\w+)\.value_or\((.*)\)$", text)
        if default:
            kind = self.kinds.get(default[1], "?")
            return "in" if kind == "optional" else kind
        for pattern, kind in EXPRESSIONS:
            if re.search(pattern, text):
                return kind
        return "?"

    def argument(self, text):
        """(kind, name) of an argument of a call."""
        kind = self.kind(text)
        name = re.sub(r"\W+", "_", text).strip("_") if not re.fullmatch(r"\w+", text) else text
        if kind == "in":
            if text in self.written:
                kind = "inout" if re.match(r"self|var|input|x$", text) else "out"
            elif text in self.made and text not in self.given:
                kind = "out"
            elif text not in self.given and re.match(r"(?:out|output|result)(?:\d|_|$)", text):
                kind = "out"
        elif kind == "list" and text not in self.given and re.match(r"(?:out|result|y)", text):
            kind = "outs"
        return kind + ("~" if text in self.absent else ""), name


def body_of(text, opening):
    """Index of the bracket that closes the one at `opening`."""
    depth = 0
    for index in range(opening, len(text)):
        if text[index] in "([{":
            depth += 1
        elif text[index] in ")]}":
            depth -= 1
            if depth == 0:
                return index
    return len(text)


def blank_comments(text):
    """Without comments, every line where it was."""
    return re.sub(r"/\*.*?\*/|//[^\n]*", lambda m: "\n" * m[0].count("\n"), text, flags=re.S)


def calls(text):
    """(operator, [(kind, name)], line) of every call in one file."""
    text = blank_comments(text)
    position = 0
    while True:
        match = DEFINITION.search(text, position)
        if match is None:
            return
        if match[1] in KEYWORDS or match[1].isupper():
            position = match.start(2)
            continue
        end = body_end(text, match.end() - 1)
        body = text[match.end():end]
        variables = None
        for call in CALL.finditer(body):
            opening = body.index("(", call.start())
            variables = variables or Variables(match[2], body)
            inner = split(body[opening + 1:body_of(body, opening)])[1:]
            if "_UPDATE_" in call[1]:
                inner = inner[2:]  # the workspace that the caller brings, and its size
            line = text.count("\n", 0, match.end() + call.start()) + 1
            yield call[2], [variables.argument(part) for part in inner], line
        position = max(end, match.end())
