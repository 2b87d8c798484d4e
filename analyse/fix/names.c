/* torch.cuda.X and imports from torch.cuda. */
#include "analyse/fix/fix_build.h"
#include "analyse/fix/python_text.h"
#include "facts/replacements.h"

#include <string.h>

/* An attribute chain as it stands in the text: root.first. ... .last */
typedef struct {
    fh_value_index root, last;
    fh_value_index first; /* ATTRIBUTE of the root */
    uint32_t count;       /* attributes */
} chain;

/* What becomes of each value of the unit. */
typedef struct {
    fh_fixer *fixer;
    uint8_t *marks; /* by value: INNER, and of IMPORT values KEPT */
    char path[512], replaced[512];
} naming;

enum {
    INNER = 1, /* a longer chain in the text goes on from it */
    KEPT = 2,  /* some use of this import has no mechanical replacement: the import stays */
    MOVED = 4, /* the import will be one from torch_npu */
};

static fh_text name_of(const fh_unit *u, const fh_value *v)
{
    return fh_unit_text(u, v->b);
}

/* Whether `base` is an ATTRIBUTE that stands in front of the attribute `v`, with a dot between. */
static bool is_in_front(const fh_fixer *f, const fh_value *base, const fh_value *v)
{
    if (base->kind != FH_VALUE_ATTRIBUTE)
        return false;
    size_t at = base->offset + name_of(f->unit, base).length;
    if (at >= v->offset || v->offset > f->text.length)
        return false;
    fh_text between = fh_text_trim(fh_text_slice(f->text, at, v->offset));
    return fh_text_is(between, ".");
}

static void mark_inner(naming *n)
{
    const fh_unit *u = n->fixer->unit;
    for (uint32_t i = 1; i < u->values.count; i++) {
        const fh_value *v = &u->values.items[i];
        if (v->kind == FH_VALUE_ATTRIBUTE && is_in_front(n->fixer, fh_unit_value(u, v->a), v))
            n->marks[v->a] |= INNER;
    }
}

static chain chain_of(const naming *n, fh_value_index last)
{
    const fh_unit *u = n->fixer->unit;
    chain c = {.last = last, .first = last, .count = 1};
    while (is_in_front(n->fixer, fh_unit_value(u, fh_unit_value(u, c.first)->a),
                       fh_unit_value(u, c.first))) {
        c.first = fh_unit_value(u, c.first)->a;
        c.count++;
    }
    c.root = fh_unit_value(u, c.first)->a;
    return c;
}

/* n->path: what the chain means, by its root and its text. False when the root is nothing outside
 * of the program. */
static bool path_of(naming *n, const chain *c)
{
    const fh_unit *u = n->fixer->unit;
    fh_value_index values[16];
    fh_meaning meaning;
    if (c->count > 16 ||
        !fh_resolve_external(n->fixer->resolver, n->fixer->unit_index, c->root, &meaning) ||
        meaning.certainty < FH_LIKELY)
        return false;
    fh_text root = fh_resolver_path(n->fixer->resolver, meaning.path);
    if (!fh_text_is(root, "torch") && !fh_text_is(root, "torch.cuda") &&
        !fh_text_starts(root, "torch.cuda."))
        return false;
    fh_value_index value = c->last;
    for (uint32_t i = c->count; i-- > 0; value = fh_unit_value(u, value)->a)
        values[i] = value;
    size_t length = root.length;
    if (length >= sizeof n->path)
        return false;
    memcpy(n->path, root.data, length);
    for (uint32_t i = 0; i < c->count; i++) {
        fh_text name = name_of(u, fh_unit_value(u, values[i]));
        if (length + name.length + 2 > sizeof n->path)
            return false;
        n->path[length++] = '.';
        memcpy(n->path + length, name.data, name.length);
        length += name.length;
    }
    n->path[length] = 0;
    return fh_text_starts(fh_text_from(n->path), "torch.cuda.") ||
           fh_text_is(fh_text_from(n->path), "torch.cuda");
}

static uint32_t rule_of(fh_text path)
{
    if (fh_text_ends(path, ".autocast"))
        return FH_RULE_401;
    if (fh_text_ends(path, ".GradScaler"))
        return FH_RULE_402;
    if (fh_text_contains(path, ".amp.custom_"))
        return FH_RULE_403;
    if (fh_text_starts(path, "torch.cuda.nvtx"))
        return FH_RULE_608;
    return fh_text_ends(path, "Tensor") ? FH_RULE_605 : FH_RULE_602;
}

/* The replacement of n->path into n->replaced. An attribute of something that has one
 * (torch.cuda.Event.record, torch.cuda.amp.autocast_mode.autocast) follows it. */
static bool find_replacement(naming *n, fh_fix_reason *reason)
{
    fh_text path = fh_text_from(n->path), part = path;
    fh_replacement row;
    *reason = fh_text_is(path, "torch.cuda") ? FH_FIX_MODULE_VALUE : FH_FIX_NO_COUNTERPART;
    while (part.length > strlen("torch.cuda")) {
        if (fh_replacement_find(part, &row) && fh_text_equal(row.name, part)) {
            if (!row.mechanical || !fh_text_starts(row.replacement, "torch."))
                return false;
            *reason = FH_FIX_NOT_IN_RELEASE;
            size_t rest = path.length - part.length;
            if (!fh_replacement_in(&row, n->fixer->options->release) ||
                row.replacement.length + rest >= sizeof n->replaced)
                return false;
            memcpy(n->replaced, row.replacement.data, row.replacement.length);
            memcpy(n->replaced + row.replacement.length, path.data + part.length, rest);
            n->replaced[row.replacement.length + rest] = 0;
            return true;
        }
        part = fh_text_slice(part, 0, fh_text_find_last(part, '.'));
    }
    return false;
}

static uint32_t parts_of(const char *path)
{
    uint32_t count = 1;
    for (; *path; path++)
        count += *path == '.';
    return count;
}

static fh_text part_at(const char *path, uint32_t index)
{
    fh_text rest = fh_text_from(path), part = {0};
    for (uint32_t i = 0; i <= index; i++)
        fh_text_next(&rest, '.', &part);
    return part;
}

/* Whether what the import itself names moves along: only torch.cuda becomes torch_npu.npu. */
static bool root_moves_along(const naming *n, uint32_t root_parts)
{
    if (parts_of(n->path) != parts_of(n->replaced))
        return false;
    for (uint32_t i = 2; i < root_parts; i++)
        if (!fh_text_equal(part_at(n->path, i), part_at(n->replaced, i)))
            return false;
    return fh_text_is(part_at(n->replaced, 1), "npu");
}

/* Edits the names that differ, or, when their number differs, all behind the root at once. */
static void edit_chain(naming *n, const chain *c, uint32_t root_parts)
{
    fh_fixer *f = n->fixer;
    const fh_unit *u = f->unit;
    fh_text path = fh_text_from(n->path);
    uint32_t rule = rule_of(path), total = parts_of(n->path);
    if (total != parts_of(n->replaced)) {
        fh_text tail = fh_text_slice(path, strlen("torch."), path.length);
        fh_fix_edit(f, rule, fh_unit_value(u, c->first)->offset, tail,
                    fh_text_slice(fh_text_from(n->replaced), strlen("torch."), SIZE_MAX));
        return;
    }
    fh_value_index value = c->last;
    for (uint32_t i = total; i-- > root_parts; value = fh_unit_value(u, value)->a) {
        fh_text before = part_at(n->path, i), after = part_at(n->replaced, i);
        if (!fh_text_equal(before, after))
            fh_fix_edit(f, rule, fh_unit_value(u, value)->offset, before, after);
    }
}

/* Marks a root, or every alternative that it stands for. */
static void mark_root(naming *n, fh_value_index root, uint8_t mark)
{
    const fh_unit *u = n->fixer->unit;
    const fh_value *v = fh_unit_value(u, root);
    n->marks[root] |= mark;
    for (uint32_t i = 0; v->kind == FH_VALUE_PHI && i < v->b; i++)
        n->marks[u->lists.items[v->a + i]] |= mark;
}

static bool has_moved(const naming *n, fh_value_index root)
{
    const fh_unit *u = n->fixer->unit;
    const fh_value *v = fh_unit_value(u, root);
    bool moved = n->marks[root] & MOVED;
    for (uint32_t i = 0; v->kind == FH_VALUE_PHI && i < v->b; i++)
        moved |= n->marks[u->lists.items[v->a + i]] & MOVED;
    return moved;
}

/* Findings at `offset` need no change there. */
static void take_care(fh_fixer *f, uint32_t offset)
{
    fh_vector_push(&f->done, (fh_fix_done){f->unit_index, offset});
}

/* Without `edit`: finds out whether the imports that the chains begin at can be replaced. */
static void visit_chain(naming *n, fh_value_index last, bool edit)
{
    chain c = chain_of(n, last);
    fh_fix_reason reason;
    if (!path_of(n, &c))
        return;
    uint32_t root_parts = parts_of(n->path) - c.count;
    bool found = find_replacement(n, &reason);
    bool whole = root_parts == 1; /* "torch": nothing but the chain itself changes */
    if (!edit) {
        if (!whole && (!found || !root_moves_along(n, root_parts)))
            mark_root(n, c.root, KEPT);
    } else if (found && (whole || has_moved(n, c.root))) {
        const fh_unit *u = n->fixer->unit;
        edit_chain(n, &c, root_parts);
        for (fh_value_index v = c.last; v != c.root; v = fh_unit_value(u, v)->a)
            take_care(n->fixer, fh_unit_value(u, v)->offset);
    } else if (whole) {
        fh_fix_leave(n->fixer, reason, fh_unit_value(n->fixer->unit, c.first)->offset,
                     fh_text_from(n->path));
    }
}

/* A use of an imported name without an attribute behind it. */
static bool import_itself_moves(naming *n, fh_text path)
{
    fh_fix_reason reason;
    if (fh_text_is(path, "torch.cuda"))
        return true;
    if (path.length >= sizeof n->path)
        return false;
    memcpy(n->path, path.data, path.length);
    n->path[path.length] = 0;
    return find_replacement(n, &reason) && root_moves_along(n, parts_of(n->path));
}

/* An import statement: [begin, end) is the dotted module in it. */
typedef struct {
    uint32_t begin, end;
    bool is_from;
} module_name;

/* Finds `module` in "from module import ... NAME" or "import module as". */
static bool find_module(const fh_fixer *f, const fh_import *import, module_name *name)
{
    fh_text path = fh_unit_text(f->unit, import->path);
    size_t at = import->offset;
    *name = (module_name){import->offset, (uint32_t)(import->offset + path.length), false};
    if (fh_text_equal(fh_text_slice(f->text, at, at + path.length), path))
        return fh_text_is(fh_python_word_after(f->text, at + path.length), "as");
    /* Back over "NAME, NAME as OTHER, (" to "import". */
    fh_text module = fh_text_slice(path, 0, fh_text_find_last(path, '.'));
    for (;;) {
        fh_text word = fh_python_word_before(f->text, at);
        if (fh_text_is(word, "import")) {
            size_t keyword = (size_t)(word.data - f->text.data);
            while (keyword > 0 && strchr(" \t\\\r\n", f->text.data[keyword - 1]))
                keyword--;
            if (keyword < module.length ||
                !fh_text_equal(fh_text_slice(f->text, keyword - module.length, keyword), module) ||
                !fh_text_is(fh_python_word_before(f->text, keyword - module.length), "from"))
                return false;
            *name = (module_name){(uint32_t)(keyword - module.length), (uint32_t)keyword, true};
            return true;
        }
        if (word.length) {
            at = (size_t)(word.data - f->text.data);
            continue;
        }
        size_t before = fh_python_before(f->text, at);
        if (before >= f->text.length || !strchr(",(", f->text.data[before]))
            return false;
        at = before;
    }
}

/* The IMPORT value of an import; they are built together. */
static fh_value_index value_of(const fh_unit *u, const fh_import *import)
{
    for (uint32_t i = 1; i < u->values.count; i++)
        if (u->values.items[i].kind == FH_VALUE_IMPORT &&
            u->values.items[i].offset == import->offset)
            return i;
    return 0;
}

/* Every import of one statement moves, or none: they share the module's name. */
static bool statement_moves(naming *n, const module_name *name)
{
    const fh_unit *u = n->fixer->unit;
    for (uint32_t i = 1; i < u->imports.count; i++) {
        const fh_import *import = &u->imports.items[i];
        module_name other;
        fh_text path = fh_unit_text(u, import->path);
        if (!fh_text_starts(path, "torch.") || !find_module(n->fixer, import, &other) ||
            other.begin != name->begin)
            continue;
        if (!import->name || (n->marks[value_of(u, import)] & KEPT) ||
            !(fh_text_is(path, "torch.cuda") || fh_text_starts(path, "torch.cuda.")) ||
            !import_itself_moves(n, path))
            return false;
    }
    return true;
}

/* Marks the imports that move, and edits their statements: torch.cuda becomes torch_npu.npu, of
 * which torch.npu is another name that the import system does not know by itself. */
static void move_imports(naming *n)
{
    fh_fixer *f = n->fixer;
    const fh_unit *u = f->unit;
    for (uint32_t i = 1; i < u->imports.count; i++) {
        const fh_import *import = &u->imports.items[i];
        fh_text path = fh_unit_text(u, import->path);
        module_name name;
        if (!fh_text_is(path, "torch.cuda") && !fh_text_starts(path, "torch.cuda."))
            continue;
        if (!import->name) {
            fh_fix_leave(f, FH_FIX_IMPORT, import->offset, path);
            continue;
        }
        if (!find_module(f, import, &name)) {
            /* `import torch.cuda.amp` binds torch: it works without CUDA and may stay. */
            if (!fh_text_equal(fh_text_slice(f->text, import->offset, import->offset + path.length),
                               path))
                fh_fix_leave(f, FH_FIX_UNEXPECTED, import->offset, path);
            continue;
        }
        if (!statement_moves(n, &name)) {
            fh_fix_leave(f, FH_FIX_IMPORT, import->offset, path);
            continue;
        }
        bool whole = name.is_from && fh_text_is(path, "torch.cuda"); /* from torch import cuda */
        fh_text from = fh_text_slice(f->text, name.begin, name.end);
        size_t kept = strlen("torch.cuda");
        bool done;
        if (!whole) {
            done = fh_fix_edit(f, rule_of(path), name.begin, fh_text_slice(from, 0, kept),
                               FH_TEXT("torch_npu.npu"));
        } else {
            done = fh_fix_edit(f, FH_RULE_602, name.begin, from, FH_TEXT("torch_npu"));
            fh_text alias =
                fh_text_is(fh_unit_text(u, import->name), "cuda") &&
                        !fh_text_is(fh_python_word_after(f->text, import->offset + 4), "as")
                    ? FH_TEXT("npu as cuda")
                    : FH_TEXT("npu");
            done = done && fh_fix_edit(f, FH_RULE_602, import->offset, FH_TEXT("cuda"), alias);
        }
        if (done)
            n->marks[value_of(u, import)] |= MOVED;
    }
}

void fh_fix_names(fh_fixer *f)
{
    const fh_unit *u = f->unit;
    if (!fh_symbols_find(&u->symbols, FH_TEXT("cuda")) &&
        !fh_text_contains(fh_buffer_text(&u->symbols.bytes), "torch.cuda"))
        return;
    naming n = {.fixer = f, .marks = fh_alloc_zero(u->values.count, 1)};
    if (!n.marks) {
        f->edits.failed = true;
        return;
    }
    mark_inner(&n);
    for (int pass = 0; pass < 2; pass++) {
        if (pass)
            move_imports(&n);
        for (uint32_t i = 1; i < u->values.count; i++)
            if (u->values.items[i].kind == FH_VALUE_ATTRIBUTE && !(n.marks[i] & INNER))
                visit_chain(&n, i, pass == 1);
    }
    for (uint32_t i = 1; i < u->calls.count; i++)
        if (has_moved(&n, u->calls.items[i].callee))
            take_care(f, u->calls.items[i].anchor);
    fh_free(n.marks);
}
