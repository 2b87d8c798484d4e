#include "analyse/cli/commands.h"
#include "analyse/cli/target.h"
#include "analyse/scan/bind.h"
#include "analyse/scan/resolve.h"
#include "base/json_write.h"

/* What a callee is, as text: a path, or file and name of something in the program. */
static void write_meaning(fh_json_writer *json, const fh_program *program, fh_resolver *resolver,
                          const fh_meaning *meaning)
{
    const fh_unit *u = meaning->kind == FH_MEANS_EXTERNAL || meaning->kind == FH_MEANS_INSTANCE
                           ? NULL
                           : &program->units.items[meaning->unit];
    switch ((fh_meaning_kind)meaning->kind) {
    case FH_MEANS_EXTERNAL:
        fh_json_write_text(json, "name", fh_resolver_path(resolver, meaning->path));
        break;
    case FH_MEANS_INSTANCE:
        fh_json_write_text(json, "object_of", fh_resolver_path(resolver, meaning->path));
        break;
    case FH_MEANS_FUNCTION:
    case FH_MEANS_METHOD:
        fh_json_write_text(json, "function",
                           fh_unit_text(u, u->functions.items[meaning->index].qualified));
        fh_json_write_text(json, "defined_in", u->path);
        break;
    case FH_MEANS_CLASS:
    case FH_MEANS_OBJECT:
        fh_json_write_text(json, meaning->kind == FH_MEANS_CLASS ? "class" : "object_of_class",
                           fh_unit_text(u, u->classes.items[meaning->index].qualified));
        fh_json_write_text(json, "defined_in", u->path);
        break;
    case FH_MEANS_MODULE:
    case FH_MEANS_LITERAL:
        break;
    }
    fh_json_write_text(json, "certainty",
                       fh_text_from(fh_certainty_name((fh_certainty)meaning->certainty)));
}

static void dump_unit(const fh_program *program, fh_resolver *resolver, uint32_t index,
                      fh_buffer *out)
{
    const fh_unit *unit = &program->units.items[index];
    for (uint32_t i = 1; i < unit->calls.count; i++) {
        const fh_call *call = &unit->calls.items[i];
        fh_place place = fh_unit_place(unit, call->offset);
        fh_json_writer json = fh_json_writer_to(out, 0, false);
        fh_json_write_object(&json, NULL);
        fh_json_write_text(&json, "file", unit->path);
        fh_json_write_integer(&json, "line", place.line);
        fh_json_write_integer(&json, "column", place.column);
        if (call->function)
            fh_json_write_text(&json, "in",
                               fh_unit_text(unit, unit->functions.items[call->function].qualified));
        fh_meanings callees;
        fh_resolve(resolver, index, call->callee, &callees);
        fh_json_write_array(&json, "callees");
        for (uint32_t k = 0; k < callees.count; k++) {
            fh_json_write_object(&json, NULL);
            write_meaning(&json, program, resolver, &callees.items[k]);
            fh_json_write_end(&json);
        }
        fh_json_write_end(&json);
        fh_json_write_end(&json);
        fh_buffer_add_char(out, '\n');
    }
}

int fh_command_dump_calls(const fh_options *options)
{
    fh_target target = {0};
    fh_program *program = &target.load.program;
    fh_resolver *resolver = NULL;
    fh_buffer out = {0};
    int code = FH_EXIT_OK;
    fh_status status = fh_target_find(options, &target);
    if (!status)
        status = fh_target_read(&target);
    if (!status)
        status = fh_bind_arguments(program, options->jobs);
    if (!status && !(resolver = fh_resolver_create(program)))
        status = fh_error(FH_NO_MEMORY, "out of memory");
    fh_target_finish(&target);
    for (uint32_t i = 0; !status && code == FH_EXIT_OK && i < program->units.count; i++) {
        fh_buffer_clear(&out);
        fh_resolver_enter(resolver, i);
        dump_unit(program, resolver, i, &out);
        code = fh_command_print(fh_buffer_text(&out));
        if (fh_output_closed())
            break;
    }
    if (status) {
        fh_message("%s", fh_error_message());
        code = FH_EXIT_ERROR;
    }
    fh_buffer_free(&out);
    fh_resolver_destroy(resolver);
    fh_target_free(&target);
    return code;
}
