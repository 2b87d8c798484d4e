/* Commands that Python hands to a shell, or starts: os.system("nvidia-smi"), subprocess.run([...]).
 * They are read as the lines of a script are. */
#include "analyse/rules/run.h"
#include "analyse/scan/shell.h"

static bool starts_programs(fh_text path)
{
    static const char *const functions[] = {"os.system",
                                            "os.popen",
                                            "subprocess.run",
                                            "subprocess.call",
                                            "subprocess.check_call",
                                            "subprocess.check_output",
                                            "subprocess.Popen",
                                            "subprocess.getoutput",
                                            "subprocess.getstatusoutput",
                                            "asyncio.create_subprocess_shell",
                                            NULL};
    return fh_text_is_any(path, functions);
}

/* What is not known of a command: a word that no rule looks for. */
static void add_unknown(fh_buffer *out)
{
    fh_buffer_add_string(out, "$_");
}

static void add_string(fh_rule_run *run, fh_value_index index, fh_buffer *out)
{
    fh_text text;
    fh_certainty certainty;
    const fh_unit *u = run->unit;
    const fh_value *v = fh_unit_value(u, index);
    if (fh_resolve_string(run->resolver, run->unit_index, index, &text, &certainty, NULL))
        fh_buffer_add(out, text);
    else if (v->kind == FH_VALUE_FORMAT)
        for (uint32_t i = 0; i < v->b; i++)
            add_string(run, u->lists.items[v->a + i], out);
    else
        add_unknown(out);
}

/* An element of a list of arguments, in quotes, since no shell takes it apart. */
static void add_argument(fh_rule_run *run, fh_value_index index, fh_buffer *out)
{
    fh_buffer word = {0};
    add_string(run, index, &word);
    fh_buffer_add_char(out, '\'');
    for (size_t i = 0; i < word.length; i++)
        if (word.data[i] != '\'')
            fh_buffer_add_char(out, word.data[i]);
    fh_buffer_add_string(out, "' ");
    out->failed |= word.failed;
    fh_buffer_free(&word);
}

static void add_command(fh_rule_run *run, fh_value_index index, fh_buffer *out)
{
    const fh_value *v = fh_unit_value(run->unit, index);
    if (v->kind != FH_VALUE_LIST && v->kind != FH_VALUE_TUPLE)
        add_string(run, index, out);
    else
        for (uint32_t i = 0; i < v->b; i++)
            add_argument(run, run->unit->lists.items[v->a + i], out);
}

static void read_command(fh_rule_run *run, const fh_call *call, fh_text command)
{
    fh_unit script;
    fh_spot spot = fh_spot_of_call(run->unit, call);
    fh_unit_init(&script, FH_UNIT_CONFIG, run->unit->path);
    fh_positions_build(&script.positions, command);
    if (fh_shell_settings(command, 0, true, &script) == FH_OK)
        for (uint32_t i = 1; i < script.settings.count; i++) {
            const fh_setting *s = &script.settings.items[i];
            if (s->kind != FH_SETTING_KEY)
                fh_report_setting(run, (fh_setting_kind)s->kind, fh_unit_text(&script, s->key),
                                  fh_unit_text(&script, s->value), spot);
        }
    fh_unit_free(&script);
}

void fh_rules_commands(fh_rule_run *run)
{
    const fh_unit *u = run->unit;
    if (!fh_unit_mentions(u, "os") && !fh_unit_mentions(u, "subprocess") &&
        !fh_unit_mentions(u, "asyncio"))
        return;
    for (uint32_t i = 1; i < u->calls.count; i++) {
        fh_meaning meaning;
        const fh_call *call = &u->calls.items[i];
        fh_value_index command = fh_call_argument(u, call, 0, "args");
        fh_buffer text = {0};
        if (!command ||
            !fh_resolve_external(run->resolver, run->unit_index, call->callee, &meaning) ||
            !starts_programs(fh_resolver_path(run->resolver, meaning.path)))
            continue;
        add_command(run, command, &text);
        if (!text.failed)
            read_command(run, call, fh_buffer_text(&text));
        fh_buffer_free(&text);
    }
}
