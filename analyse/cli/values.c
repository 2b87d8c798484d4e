#include "analyse/cli/values.h"
#include "analyse/rules/rules.h"
#include "base/number.h"
#include "facts/limits.h"
#include "facts/nearest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { MOST_JOBS = 1024 };

static void *field_of(fh_options *options, const fh_flag *flag)
{
    return (char *)options + flag->field;
}

static fh_status set_text(fh_options *options, const fh_flag *flag, const char *value)
{
    *(const char **)field_of(options, flag) = value;
    return FH_OK;
}

/* "--format: "htm" is none of text|json; did you mean html?" */
static fh_status not_among(const char *said, const char *value, const char *words,
                           const fh_nearest *nearest)
{
    fh_buffer hint = {0};
    fh_nearest_add(&hint, nearest);
    fh_status status = fh_error(FH_INVALID, "%s: \"%s\" is none of %s%.*s", said, value, words,
                                FH_TEXT_ARGS(fh_buffer_text(&hint)));
    fh_buffer_free(&hint);
    return status;
}

static fh_status set_choice(fh_options *options, const fh_flag *flag, const char *said,
                            const char *value)
{
    fh_text rest = fh_text_from(flag->argument), word;
    fh_nearest nearest = {0};
    for (unsigned number = 0; fh_flag_next_choice(&rest, &word); number++) {
        fh_nearest_offer(&nearest, fh_text_from(value), word);
        if (!fh_text_is(word, value))
            continue;
        /* Every enum here is as large as unsigned, and counts from 0. */
        memcpy(field_of(options, flag), &number, sizeof number);
        return FH_OK;
    }
    return not_among(said, value, flag->argument, &nearest);
}

static fh_status set_number(fh_options *options, const fh_flag *flag, const char *said,
                            const char *value)
{
    int64_t least = flag->kind != FH_FLAG_NUMBER, number;
    int64_t most = flag->kind == FH_FLAG_COUNT     ? MOST_JOBS
                   : flag->kind == FH_FLAG_DEVICES ? FH_MOST_DEVICES
                                                   : (int64_t)UINT32_MAX - 1;
    if (!fh_text_to_integer(fh_text_from(value), &number) || number < least || number > most)
        return fh_error(FH_INVALID, "%s: \"%s\" is no whole number from %d to %lld", said, value,
                        (int)least, (long long)most);
    *(uint32_t *)field_of(options, flag) = (uint32_t)number;
    return FH_OK;
}

static fh_status set_size(fh_options *options, const fh_flag *flag, const char *said,
                          const char *value)
{
    uint64_t bytes;
    if (!fh_text_to_bytes(fh_text_from(value), &bytes))
        return fh_error(FH_INVALID, "%s: \"%s\" is no size such as 500K, 64M or 1G", said, value);
    if (flag->kind == FH_FLAG_MEMORY && bytes >= FH_MEMORY_LIMIT)
        return fh_error(FH_INVALID, "%s: %s is too much for a device; it must be less than %lluT",
                        said, value, (unsigned long long)(FH_MEMORY_LIMIT >> 40));
    *(uint64_t *)field_of(options, flag) = bytes;
    return FH_OK;
}

static fh_status set_toggle(fh_options *options, const fh_flag *flag, const char *said,
                            const char *value)
{
    bool on = !strcmp(value, "on") || !strcmp(value, "1");
    if (!on && strcmp(value, "off") && strcmp(value, "0"))
        return fh_error(FH_INVALID, "%s: \"%s\" is neither on nor off", said, value);
    *(bool *)field_of(options, flag) = on;
    return FH_OK;
}

static fh_status set_figure(fh_options *options, const fh_flag *flag, const char *said,
                            const char *value)
{
    double number;
    if (!fh_number_parse(fh_text_from(value), &number) || !isfinite(number) || number < 1e-6 ||
        number > 1e9)
        return fh_error(FH_INVALID, "%s: \"%s\" is no number above 0 such as 2.5", said, value);
    *(double *)field_of(options, flag) = number;
    return FH_OK;
}

/* The message of the failure before, with the flag's name in front. */
static fh_status failed(fh_status status, const char *said)
{
    char message[512];
    snprintf(message, sizeof message, "%s", fh_error_message());
    return fh_error(status == FH_NO_MEMORY ? status : FH_INVALID, "%s: %s", said, message);
}

static fh_status set_release(fh_options *options, const fh_flag *flag, const char *said,
                             const char *value)
{
    fh_status status = fh_release_get(fh_text_from(value), field_of(options, flag));
    return status ? failed(status, said) : FH_OK;
}

static fh_status set_chip(fh_options *options, const fh_flag *flag, const char *said,
                          const char *value)
{
    const fh_soc *soc;
    fh_status status = fh_soc_get(fh_text_from(value), &soc);
    if (status)
        return failed(status, said);
    if (soc->vendor != FH_VENDOR_ASCEND && flag->kind == FH_FLAG_ASCEND)
        return fh_error(FH_INVALID, "%s: %s is no Ascend chip; foothold soc lists them", said,
                        value);
    *(const fh_soc **)field_of(options, flag) = soc;
    return FH_OK;
}

static fh_status add_item(fh_options *options, const fh_flag *flag, fh_text item)
{
    fh_text_list *list = field_of(options, flag);
    if (!fh_vector_push(list, item))
        return fh_error(FH_NO_MEMORY, "out of memory while reading the command line");
    return FH_OK;
}

static bool has_prefix(const char *text, fh_text prefix)
{
    return strlen(text) >= prefix.length && !strncasecmp(text, prefix.data, prefix.length);
}

/* Whether `item` is a rule's id, the beginning of one, or a category. */
static bool is_rule_or_category(fh_text item)
{
    uint32_t count;
    const fh_rule *rules = fh_rules(&count);
    for (uint32_t i = 0; i < count; i++)
        if (has_prefix(rules[i].id, item))
            return true;
    for (unsigned i = 0; i < FH_CATEGORY_COUNT; i++)
        if (fh_text_is(item, fh_category_name((fh_category)i)))
            return true;
    return false;
}

static fh_status no_such_rule(const char *said, fh_text item)
{
    uint32_t count;
    const fh_rule *rules = fh_rules(&count);
    fh_nearest nearest = {0};
    fh_buffer hint = {0};
    for (unsigned i = 0; i < FH_CATEGORY_COUNT; i++)
        fh_nearest_offer(&nearest, item, fh_text_from(fh_category_name((fh_category)i)));
    for (uint32_t i = 0; i < count; i++)
        fh_nearest_offer(&nearest, item, fh_text_from(rules[i].id));
    fh_nearest_add(&hint, &nearest);
    fh_status status = fh_error(FH_INVALID, "%s: \"%.*s\" is neither a rule nor a category%.*s%s",
                                said, FH_TEXT_ARGS(item), FH_TEXT_ARGS(fh_buffer_text(&hint)),
                                hint.length ? "" : "; foothold rules lists them");
    fh_buffer_free(&hint);
    return status;
}

static fh_status add_rules(fh_options *options, const fh_flag *flag, const char *said,
                           const char *value)
{
    fh_text rest = fh_text_from(value), item;
    fh_status status = FH_OK;
    while (!status && fh_text_next(&rest, ',', &item)) {
        item = fh_text_trim(item);
        if (!item.length)
            return fh_error(FH_INVALID, "%s: a name is missing between commas in \"%s\"", said,
                            value);
        status =
            is_rule_or_category(item) ? add_item(options, flag, item) : no_such_rule(said, item);
    }
    return status;
}

fh_status fh_value_set(fh_options *options, const fh_flag *flag, const char *said,
                       const char *value)
{
    if (value && !*value)
        return fh_error(FH_INVALID, "%s: the value is empty; it must be %s", said, flag->argument);
    switch (flag->kind) {
    case FH_FLAG_SWITCH:
    case FH_FLAG_SWITCH_OFF:
        *(bool *)field_of(options, flag) = flag->kind == FH_FLAG_SWITCH;
        return FH_OK;
    case FH_FLAG_HELP: /* fh_options_read has seen to it */
        return FH_OK;
    case FH_FLAG_CHOICE:
        return set_choice(options, flag, said, value);
    case FH_FLAG_NUMBER:
    case FH_FLAG_COUNT:
    case FH_FLAG_DEVICES:
        return set_number(options, flag, said, value);
    case FH_FLAG_SIZE:
    case FH_FLAG_MEMORY:
        return set_size(options, flag, said, value);
    case FH_FLAG_TOGGLE:
        return set_toggle(options, flag, said, value);
    case FH_FLAG_FIGURE:
        return set_figure(options, flag, said, value);
    case FH_FLAG_RELEASE:
        return set_release(options, flag, said, value);
    case FH_FLAG_ASCEND:
    case FH_FLAG_CHIP:
        return set_chip(options, flag, said, value);
    case FH_FLAG_FILE:
    case FH_FLAG_DIRECTORY:
        return set_text(options, flag, value);
    case FH_FLAG_RULES:
        return add_rules(options, flag, said, value);
    case FH_FLAG_PATTERN:
    case FH_FLAG_OUTPUT:
        return add_item(options, flag, fh_text_from(value));
    }
    return fh_error(FH_INVALID, "%s: unknown kind of flag", said);
}
