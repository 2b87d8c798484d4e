#include "analyse/cli/man.h"
#include "analyse/cli/flags.h"

#include <string.h>

/* Text of our own as roff text: an empty line begins a paragraph, no line is a request. */
static void add_text(fh_buffer *out, const char *text)
{
    bool at_start = true;
    for (const char *c = text; *c; c++) {
        if (at_start && *c == '\n') {
            fh_buffer_add_string(out, ".PP\n");
            continue;
        }
        if (at_start && strchr(".'", *c))
            fh_buffer_add_string(out, "\\&");
        if (*c == '-')
            fh_buffer_add_string(out, "\\-");
        else if (*c == '\\')
            fh_buffer_add_string(out, "\\e");
        else if (*c == '~')
            fh_buffer_add_string(out, "\\(ti");
        else if (*c == '^')
            fh_buffer_add_string(out, "\\(ha");
        else
            fh_buffer_add_char(out, *c);
        at_start = *c == '\n';
    }
}

static void add_line(fh_buffer *out, const char *text)
{
    add_text(out, text);
    fh_buffer_add_char(out, '\n');
}

static void add_section(fh_buffer *out, const char *title)
{
    fh_buffer_add_format(out, ".SH %s\n", title);
}

static void add_commands(fh_buffer *out)
{
    for (unsigned i = FH_COMMAND_NONE + 1; i < FH_COMMAND_COUNT; i++) {
        const fh_command_record *command = fh_command_of((fh_command)i);
        fh_buffer_add_string(out, ".TP\n\\fB");
        add_text(out, command->name);
        fh_buffer_add_string(out, "\\fR ");
        add_line(out, command->arguments);
        add_text(out, command->summary);
        fh_buffer_add_string(out, ".\n");
        /* Paragraphs of an item keep its indentation. */
        for (fh_text rest = fh_text_from(command->text), line; fh_text_next(&rest, '\n', &line);) {
            fh_buffer paragraph = {0};
            if (!line.length)
                continue;
            fh_buffer_add(&paragraph, line);
            fh_buffer_add_char(&paragraph, 0);
            fh_buffer_add_string(out, ".IP\n");
            add_line(out, paragraph.failed ? "" : paragraph.data);
            fh_buffer_free(&paragraph);
        }
        if (*command->other_name) {
            fh_buffer_add_string(out, ".IP\nAlso called ");
            add_text(out, command->other_name);
            fh_buffer_add_string(out, ".\n");
        }
    }
}

static void add_owners(fh_buffer *out, const fh_flag *flag)
{
    bool first = true;
    if (fh_flag_belongs(flag, FH_COMMAND_NONE)) {
        fh_buffer_add_string(out, "Belongs to all commands.\n");
        return;
    }
    fh_buffer_add_string(out, "Belongs to ");
    for (unsigned i = FH_COMMAND_NONE + 1; i < FH_COMMAND_COUNT; i++) {
        if (!fh_flag_belongs(flag, (fh_command)i))
            continue;
        fh_buffer_add_string(out, first ? "" : ", ");
        add_text(out, fh_command_of((fh_command)i)->name);
        first = false;
    }
    fh_buffer_add_string(out, ".\n");
}

static void add_flag(fh_buffer *out, const fh_flag *flag)
{
    fh_buffer_add_string(out, ".TP\n\\fB");
    if (flag->letter)
        fh_buffer_add_format(out, "\\-%c\\fR, \\fB", flag->letter);
    fh_buffer_add_string(out, "\\-\\-");
    add_text(out, flag->name);
    fh_buffer_add_string(out, "\\fR");
    if (*flag->argument) {
        fh_buffer_add_string(out, " \\fI");
        add_text(out, flag->argument);
        fh_buffer_add_string(out, "\\fR");
    }
    fh_buffer_add_char(out, '\n');
    add_text(out, flag->summary);
    fh_buffer_add_string(out, ".\n");
    if (*flag->text)
        add_line(out, flag->text);
    if (*flag->initial) {
        fh_buffer_add_string(out, "Default: ");
        add_text(out, flag->initial);
        fh_buffer_add_string(out, ".\n");
    }
    if (*flag->environment)
        fh_buffer_add_format(out, "The variable %s gives another default.\n", flag->environment);
    add_owners(out, flag);
}

static void add_flags(fh_buffer *out)
{
    for (unsigned category = 0; category < FH_FLAG_CATEGORIES; category++) {
        fh_buffer_add_format(out, ".SS %s\n", fh_flag_category_heading(category));
        for (unsigned i = 0; i < fh_flag_count; i++)
            if (fh_flags[i].category == category)
                add_flag(out, &fh_flags[i]);
    }
}

void fh_man_add(fh_buffer *out)
{
    /* No date: the page of one release is always the same bytes. */
    fh_buffer_add_string(out, ".TH FOOTHOLD 1 \"\" \"foothold " FOOTHOLD_VERSION
                              "\" \"User Commands\"\n.nh\n.ad l\n");
    add_section(out, "NAME");
    fh_buffer_add_string(out, "foothold \\- say how PyTorch code will run on Ascend NPUs\n");
    add_section(out, "SYNOPSIS");
    fh_buffer_add_string(out, ".B foothold\n.I command\n[flags] [arguments]\n");
    add_section(out, "DESCRIPTION");
    add_line(out,
             "Foothold reads PyTorch programs, and says which of their operators are heavy and "
             "where, what Ascend does with each, what to change and what to expect. It needs no "
             "NPU, and neither runs nor imports what it reads.\n\n"
             "A flag may stand before or behind the command, as --flag value or --flag=value. Of a "
             "flag that is repeated the last one counts, unless it says otherwise. What follows -- "
             "is an argument.");
    add_section(out, "COMMANDS");
    add_commands(out);
    add_section(out, "FLAGS");
    add_flags(out);
    add_section(out, "EXIT STATUS");
    fh_buffer_add_string(
        out,
        ".TP\n0\nDone.\n.TP\n1\nThere are findings at or above \\-\\-fail\\-on.\n"
        ".TP\n2\nThe command line or the input cannot be used; a message says why.\n"
        ".TP\n126, 127\nThe program of run cannot be run; there is no such program. Any other code "
        "of "
        "run is the program's.\n"
        ".TP\n130\nCtrl\\-C stopped it; the report covers what was read by then. After SIGTERM "
        "it is 143.\n");
    add_section(out, "COMMENTS IN CODE");
    add_line(out, "\"# foothold: ignore[FH101]\" on a line hides findings of that rule on it, "
                  "several ids separated by commas; without brackets it hides all.");
    add_section(out, "EXAMPLES");
    fh_buffer_add_string(out, ".nf\nfoothold analyze .\nfoothold analyze . \\-o report.html\n"
                              "foothold ops torch.linalg.svd \\-\\-soc 310P3\n"
                              "foothold fix . | git apply\n.fi\n");
}
