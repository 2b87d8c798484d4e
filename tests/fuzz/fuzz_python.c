#include "analyse/scan/cuda.h"
#include "analyse/scan/link.h"
#include "analyse/scan/python.h"
#include "analyse/scan/resolve.h"
#include "tests/fuzz/fuzz.h"

static void resolve_all(const fh_program *program)
{
    fh_resolver *resolver = fh_resolver_create(program);
    const fh_unit *unit = &program->units.items[0];
    for (uint32_t i = 1; resolver && i < unit->calls.count; i++) {
        const fh_call *call = &unit->calls.items[i];
        fh_meanings meanings;
        fh_certainty certainty;
        fh_text text;
        int64_t number;
        bool truth;
        fh_resolve(resolver, 0, call->value, &meanings);
        fh_resolve(resolver, 0, call->callee, &meanings);
        (void)fh_resolve_is_tensor(resolver, 0, call->value, &certainty);
        (void)fh_resolve_is_instance(resolver, 0, call->value, "torch.nn.Module");
        for (uint32_t a = 0; a < call->count; a++) {
            fh_value_index value = unit->arguments.items[call->arguments + a].value;
            if (fh_resolve_string(resolver, 0, value, &text, &certainty, NULL) &&
                !fh_utf8_valid(text))
                abort();
            (void)fh_resolve_integer(resolver, 0, value, &number);
            (void)fh_resolve_bool(resolver, 0, value, &truth);
        }
    }
    for (uint32_t i = 1; resolver && i < unit->classes.count; i++)
        (void)fh_resolve_derives(resolver, 0, i, "torch.nn.Module");
    fh_resolver_destroy(resolver);
}

/* A program of one file: read, linked, every call resolved, device code in strings read. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static fh_parser *parser;
    fh_text text = fuzz_text(data, size);
    fh_program program = {0};
    fh_unit unit;
    parser = parser ? parser : fh_parser_create();
    fh_unit_init(&unit, FH_UNIT_PYTHON, FH_TEXT("a.py"));
    fh_status status = fh_python_read(parser, text, &unit);
    if (status) {
        fh_unit_free(&unit);
    } else {
        (void)fh_cuda_read_strings(text, &unit);
        fuzz_check_unit(&unit, text);
        fh_vector_push(&program.units, unit);
        if (!fh_program_link(&program))
            resolve_all(&program);
        fh_program_free(&program);
    }
    free((char *)(uintptr_t)text.data);
    return 0;
}
