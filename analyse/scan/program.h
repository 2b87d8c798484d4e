/* program.h: what source files say, in one form for all languages.
 *
 *   program   all units of one analysis
 *   unit      one source file (or notebook): flat tables, no pointers between them
 *   value     one expression (value.h)
 *   call      a call expression: callee and arguments are values
 *   block     a piece of code that runs under one condition: function, if, for, with, ...
 *   function, class   definitions, methods and lambdas included
 *   store     an assignment to an attribute or an element
 *   setting   one key of a configuration file, one environment variable of a script
 *   kernel    device code written by hand (CUDA, Triton); launch: where it is started
 *
 * All references are 32-bit indices into the tables of the same unit, so that a
 * unit can be written to the cache and read back as it is. Index 0 of every
 * table is a null entry. Offsets count bytes of the decoded text; fh_unit_place
 * turns them into lines and columns.
 */
#ifndef FH_SCAN_PROGRAM_H
#define FH_SCAN_PROGRAM_H

#include "analyse/scan/positions.h"
#include "analyse/scan/value.h"
#include "base/arena.h"
#include "base/symbols.h"
#include "base/vector.h"

typedef struct {
    fh_value_index value; /* the CALL value */
    fh_value_index callee;
    uint32_t arguments, count; /* into unit->arguments */
    uint32_t offset, end;      /* of the call expression */
    uint32_t anchor;           /* where a finding should point: the start of a dotted name, or the
                                  name of the method when it is called on some other expression */
    uint32_t block;
    uint32_t function; /* the function whose body it is in; 0 for the module */
} fh_call;

typedef struct {
    fh_symbol name; /* 0 when positional */
    fh_value_index value;
} fh_argument;

typedef enum {
    FH_BLOCK_MODULE,
    FH_BLOCK_FUNCTION,
    FH_BLOCK_CLASS,
    FH_BLOCK_IF,    /* value: the condition */
    FH_BLOCK_ELSE,  /* value: the condition that did not hold */
    FH_BLOCK_FOR,   /* value: what is iterated over */
    FH_BLOCK_WHILE, /* value: the condition */
    FH_BLOCK_WITH,  /* value: the context manager (a TUPLE when several) */
    FH_BLOCK_TRY,
    FH_BLOCK_EXCEPT,        /* value: the exception class */
    FH_BLOCK_COMPREHENSION, /* value: what is iterated over */
} fh_block_kind;

typedef struct {
    uint32_t kind; /* fh_block_kind */
    uint32_t parent;
    fh_value_index value;
    uint32_t function;
    uint32_t offset, end;
    uint32_t leaves; /* IF, ELSE: fh_block_end; what follows runs under the opposite where it leaves
                      */
} fh_block;

/* Whether the end of a block is reached. */
typedef enum {
    FH_GOES_ON,
    FH_LEAVES,          /* it returns, or goes on with the loop's next turn */
    FH_LEAVES_BY_RAISE, /* it raises; the message of an assert is such a block, too */
} fh_block_end;

typedef struct {
    fh_symbol name;
    fh_value_index default_value, annotation; /* 0 when there is none */
    uint32_t kind;                            /* 0 plain, 1 *args, 2 **kwargs, 3 keyword only */
} fh_parameter;

typedef struct {
    fh_symbol name;                       /* "" for a lambda */
    fh_symbol qualified;                  /* Class.method, outer.inner */
    uint32_t class;                       /* the class it is a method of, else 0 */
    uint32_t parent;                      /* enclosing function, else 0 */
    uint32_t parameters, parameter_count; /* into unit->parameters */
    uint32_t decorators, decorator_count; /* into unit->lists: values, then as many offsets */
    uint32_t returns, return_count;       /* into unit->lists: values */
    uint32_t block;
    fh_value_index first, last; /* values of the body: [first, last) */
    uint32_t offset, end;
    uint32_t flags;
} fh_function;

enum {
    FH_FUNCTION_ASYNC = 1,
    FH_FUNCTION_GENERATOR = 2,
    FH_FUNCTION_STATIC = 4, /* @staticmethod: the first parameter is not the object */
    FH_FUNCTION_LAMBDA = 8,
    FH_FUNCTION_CLASS_METHOD = 16,
    FH_FUNCTION_PROPERTY = 32,
};

typedef struct {
    fh_symbol name;
    fh_value_index value;
} fh_binding;

typedef struct {
    fh_symbol name, qualified;
    uint32_t bases, base_count;           /* into unit->arguments: keywords such as metaclass too */
    uint32_t decorators, decorator_count; /* the same */
    uint32_t members, member_count; /* into unit->bindings: names bound in the body, by symbol */
    uint32_t attributes,
        attribute_count;          /* into unit->bindings: self.x = ... of all methods, by symbol */
    uint32_t fields, field_count; /* into unit->parameters: `name: type = default` of the body */
    uint32_t block;
    uint32_t parent; /* enclosing function, else 0 */
    uint32_t offset, end;
    uint32_t is_record; /* 1: a dataclass or the like, which is made from values of its fields */
} fh_class;

/* base.name = value (index 0), or base[index] = value (name 0). */
typedef struct {
    fh_value_index base;
    fh_symbol name;
    fh_value_index index;
    fh_value_index value;
    uint32_t offset;
    uint32_t block;
} fh_store;

/* Something that is put into a container after it was made: base[index] = value,
 * base.append(value).
 */
typedef struct {
    fh_value_index base;  /* the LIST, DICT, SET or CALL that made it */
    fh_value_index index; /* 0: not known, or none */
    fh_value_index value; /* a STAR of what is put in one by one, as by extend and update */
} fh_fill;

typedef struct {
    fh_symbol path; /* as in FH_VALUE_IMPORT; of `from a import *`: "a" */
    fh_symbol name; /* what it is bound to; 0 for `*` */
    uint32_t offset;
    uint32_t block;
    uint32_t guarded; /* 1 inside `try` with an except clause, or under a condition */
} fh_import;

typedef struct {
    fh_symbol key; /* "fp16.enabled", "requires", "NCCL_DEBUG", "command" */
    fh_symbol value;
    uint32_t offset;
    uint32_t kind; /* fh_setting_kind */
} fh_setting;

typedef enum {
    FH_SETTING_KEY,         /* of JSON, YAML, TOML, INI; the key is a dotted path */
    FH_SETTING_ENVIRONMENT, /* an environment variable that is set */
    FH_SETTING_REQUIREMENT, /* key: package name in lower case; value: version specifier */
    FH_SETTING_COMMAND,     /* key: program; value: its arguments */
} fh_setting_kind;

typedef struct {
    fh_symbol name;
    uint32_t offset, end;
    uint32_t kind;     /* fh_kernel_kind */
    uint32_t function; /* Triton: the Python function; else 0 */
} fh_kernel;

typedef enum {
    FH_KERNEL_CUDA,      /* a __global__ function; [offset, end) from its name to its last brace */
    FH_KERNEL_LAUNCH,    /* name<<<...>>>(...), cudaLaunchKernel(name, ...) */
    FH_KERNEL_INCLUDE,   /* a header of CUDA or of ATen's CUDA part */
    FH_KERNEL_EMBEDDED,  /* a Python string that holds CUDA text, [offset, end) */
    FH_KERNEL_DECLARED,  /* a __global__ function without a body: declared, or instantiated */
    FH_KERNEL_CALL,      /* of the CUDA runtime, driver or a library: cudaMemcpyAsync, ncclSend,
                            thrust::sort, at::cuda::getCurrentCUDAStream */
    FH_KERNEL_INTRINSIC, /* of a warp or its tensor cores: __shfl_xor_sync, wmma::mma_sync */
    FH_KERNEL_ASSEMBLY,  /* inline PTX; name: its first instruction, "cp.async.cg.shared.global" */
    FH_KERNEL_DISPATCH,  /* AT_DISPATCH_FLOATING_TYPES(...) */
    FH_KERNEL_LIBRARY,   /* PYBIND11_MODULE(name, ...), TORCH_LIBRARY(name, ...) */
    FH_KERNEL_BINDING,   /* m.def("name", ...), m.impl("name", ...) */
} fh_kernel_kind;

typedef struct {
    uint32_t offset; /* FH_NO_OFFSET for the whole file */
    fh_symbol message;
} fh_note;

enum { FH_NO_OFFSET = 0xffffffffu };

/* `# foothold: ignore[ID, ...]`, or ignore without a list: symbol 0 (ignore.h). */
typedef struct {
    uint32_t line;
    fh_symbol rules;
} fh_ignore;

typedef enum {
    FH_UNIT_PYTHON,
    FH_UNIT_NOTEBOOK,
    FH_UNIT_CUDA, /* CUDA and C++ */
    FH_UNIT_CONFIG,
    FH_UNIT_SHELL,
    FH_UNIT_REQUIREMENTS,
} fh_unit_kind;

/* A cell of a notebook: its lines begin at line `first_line` of the joined text. */
typedef struct {
    uint32_t first_line;
    uint32_t number; /* from 1, among cells of all types */
    fh_symbol id;
} fh_cell;

/* Every table of a unit that is a plain vector: type, name. What writes, reads
 * or frees a unit goes through this list. */
#define FH_UNIT_TABLES(X) \
    X(fh_value, values) \
    X(uint32_t, lists) \
    X(fh_argument, arguments) \
    X(fh_call, calls) \
    X(fh_block, blocks) \
    X(fh_parameter, parameters) \
    X(fh_function, functions) \
    X(fh_class, classes) \
    X(fh_binding, bindings) \
    X(fh_store, stores) \
    X(fh_fill, fills) /* by base */ \
    X(fh_import, imports) \
    X(fh_value_index, \
      tests) /* values whose truth decides something: if, while, and, or, assert */ \
    X(fh_setting, settings) \
    X(fh_kernel, kernels) \
    X(fh_note, notes) \
    X(fh_ignore, ignores) \
    X(fh_cell, cells)

typedef struct {
    fh_text path;        /* relative to the target; owned by the program */
    fh_symbol module;    /* Python: dotted module name inside the target, "" when none */
    uint32_t kind;       /* fh_unit_kind */
    uint32_t is_package; /* an __init__.py */
    fh_symbols symbols;
    fh_positions positions;
#define X(type, name) FH_VECTOR(type) name;
    FH_UNIT_TABLES(X)
#undef X
    uint32_t members, member_count; /* names bound in the module, by symbol: into bindings */
    uint64_t bytes;                 /* size of the source */
} fh_unit;

/* Makes an empty unit, null entries included. */
void fh_unit_init(fh_unit *unit, fh_unit_kind kind, fh_text path);
void fh_unit_free(fh_unit *unit);

/* True when some table of the unit ran out of memory. */
bool fh_unit_failed(const fh_unit *unit);

/* Line and column (from 1; columns in code points) of an offset; in a notebook the line is
 * that of its cell. */
fh_place fh_unit_place(const fh_unit *unit, uint32_t offset);

/* The cell of a notebook that line `line` of the joined text is in; NULL when there is none. */
const fh_cell *fh_unit_cell(const fh_unit *unit, uint32_t line);

void fh_unit_note(fh_unit *unit, uint32_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static inline fh_text fh_unit_text(const fh_unit *unit, fh_symbol symbol)
{
    return fh_symbols_text(&unit->symbols, symbol);
}

static inline const fh_value *fh_unit_value(const fh_unit *unit, fh_value_index index)
{
    return &unit->values.items[index];
}

/* The value of argument `name`, or of the positional one at `position` when no
 * keyword has that name; 0 when it is not given. position < 0: keyword only.
 * What *(...) and **{...} of literals hold counts as written out. */
fh_value_index fh_call_argument(const fh_unit *unit, const fh_call *call, int position,
                                const char *name);

/* Goes through the arguments of a call, those in *(...) and **{...} of literals one by one. */
typedef struct {
    fh_symbol name;       /* 0 when positional */
    fh_value_index value; /* a STAR where what it holds is not known */
    int position;         /* -1: of a keyword, or behind a STAR */
} fh_passed;

typedef struct {
    const fh_unit *unit;
    const fh_call *call;
    uint32_t next, inner; /* argument, and element of it */
    int position;
} fh_passed_walk;

static inline fh_passed_walk fh_passed_of(const fh_unit *unit, const fh_call *call)
{
    return (fh_passed_walk){unit, call, 0, 0, 0};
}
bool fh_passed_next(fh_passed_walk *walk, fh_passed *passed);

/* The fills of a container: unit->fills.items[result] and those behind it with the same base. */
uint32_t fh_unit_fills(const fh_unit *unit, fh_value_index base);

/* The binding of `name` among `count` bindings that are sorted by symbol; 0 when there is none. */
fh_value_index fh_unit_binding(const fh_unit *unit, uint32_t first, uint32_t count, fh_symbol name);

#endif
