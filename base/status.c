#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char message[1024];

const char *fh_status_text(fh_status status)
{
    static const char *const texts[] = {
#define X(name, text) text,
        FH_STATUS_MAP(X)
#undef X
    };
    unsigned index = (unsigned)status;
    return index < sizeof texts / sizeof *texts ? texts[index] : "unknown status";
}

fh_status fh_error(fh_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return status;
}

const char *fh_error_message(void)
{
    return message;
}
