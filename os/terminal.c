#include "os/terminal.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDTH_DEFAULT = 80, WIDTH_LEAST = 20, WIDTH_MOST = 1000 };

static atomic_bool closed;

static void ignore_sigpipe(void)
{
    signal(SIGPIPE, SIG_IGN);
}

fh_status fh_output_write(fh_output output, fh_text text)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, ignore_sigpipe);
    while (text.length) {
        ssize_t put = write((int)output, text.data, text.length);
        if (put >= 0) {
            text = fh_text_slice(text, (size_t)put, text.length);
            continue;
        }
        if (errno == EINTR)
            continue;
        if (errno == EAGAIN) {
            /* Somebody made the terminal non-blocking; wait for room. */
            struct pollfd wait = {.fd = (int)output, .events = POLLOUT};
            poll(&wait, 1, -1);
            continue;
        }
        char reason[128];
        int code = errno;
        atomic_store(&closed, code == EPIPE);
        return fh_error(FH_IO, "cannot write to %s: %s",
                        output == FH_STDOUT ? "standard output" : "standard error",
                        strerror_r(code, reason, sizeof reason));
    }
    return FH_OK;
}

bool fh_output_closed(void)
{
    return atomic_load(&closed);
}

bool fh_terminal_is(fh_output output)
{
    return isatty((int)output);
}

static unsigned clamp_width(int64_t width)
{
    if (width < WIDTH_LEAST)
        return WIDTH_LEAST;
    return width > WIDTH_MOST ? WIDTH_MOST : (unsigned)width;
}

unsigned fh_terminal_width(fh_output output)
{
    int64_t columns;
    struct winsize size;
    if (fh_text_to_integer(fh_text_from(getenv("COLUMNS")), &columns) && columns > 0)
        return clamp_width(columns);
    if (ioctl((int)output, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return clamp_width(size.ws_col);
    return WIDTH_DEFAULT;
}

unsigned fh_terminal_height(fh_output output)
{
    struct winsize size;
    return ioctl((int)output, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

static bool is_set(const char *value)
{
    return value && *value;
}

bool fh_terminal_color(fh_output output)
{
    const char *force = getenv("CLICOLOR_FORCE"), *term = getenv("TERM");
    if (is_set(getenv("NO_COLOR")))
        return false;
    if (is_set(force) && strcmp(force, "0"))
        return true;
    return fh_terminal_is(output) && is_set(term) && strcmp(term, "dumb");
}
