/* Everything here runs in a signal handler: no locks, no allocation, no stdio. */
#include "device/mem/fault.h"
#include "device/mem/lookup.h"
#include "device/mem/space.h"
#include "os/fault.h"
#include "os/identity.h"

#include <string.h>

/* A message under construction; what does not fit is cut. */
typedef struct {
    char text[768];
    size_t length;
} message;

static void add(message *m, const char *text)
{
    for (; *text && m->length < sizeof m->text - 1; text++)
        m->text[m->length++] = *text;
}

static void add_number(message *m, uint64_t number, unsigned base)
{
    char digits[21];
    char *next = digits + sizeof digits - 1;
    *next = '\0';
    do
        *--next = "0123456789abcdef"[number % base];
    while (number /= base);
    add(m, base == 16 ? "0x" : "");
    add(m, next);
}

/* "128 bytes into device memory of 4096 bytes on device 0 that begins at 0x..." */
static void add_place(message *m, const fh_place *place)
{
    if (place->size) {
        add_number(m, place->offset, 10);
        add(m, " bytes into ");
    }
    add(m, fh_place_name(place->kind));
    if (!place->size)
        return;
    add(m, " (");
    if (place->kind != FH_PLACE_RESERVED) {
        add(m, "device ");
        add_number(m, place->device, 10);
        add(m, ", ");
    }
    add_number(m, place->size, 10);
    add(m, " bytes from ");
    add_number(m, place->address, 16);
    add(m, " on)");
}

static void add_thread(message *m)
{
    char name[FH_THREAD_NAME_SIZE];
    fh_thread_name(name);
    add(m, "thread ");
    add_number(m, (uint64_t)fh_thread_id(), 10);
    add(m, " (");
    add(m, name);
    add(m, ")");
}

static void describe(message *m, const fh_fault *fault, const void *client, bool kernel)
{
    fh_place place = fh_lookup(client);
    add(m, "foothold: ");
    add_thread(m);
    add(m, fault->bus ? " could not be given memory by the host at address "
           : kernel   ? " failed inside the device at address "
                      : " accessed device memory from the host at address ");
    add_number(m, (uintptr_t)client, 16);
    add(m, ", ");
    add_place(m, &place);
    if (!fh_space_is_ours())
        add(m, ". This process was forked after the device was opened and has no device memory: "
               "start it with spawn instead");
    else if (fault->bus)
        add(m, ". The host is out of memory: use a smaller model or batch, or a larger machine");
    else if (!kernel)
        add(m, ". Copy it to host memory first (aclrtMemcpy, Tensor.cpu()); "
               "FOOTHOLD_ISOLATION=0 lets such accesses pass");
    add(m, "\n");
}

static void notice(const fh_fault *fault)
{
    /* A handler from before may return without ending the process, and the access is repeated. */
    static _Atomic(const void *) last;
    const void *client = fh_space_client(fault->address);
    if (!fh_space_holds(client) || atomic_exchange(&last, fault->address) == fault->address)
        return;
    message m = {.length = 0};
    describe(&m, fault, client, client != fault->address);
    fh_fault_write(m.text, m.length);
}

fh_status fh_memory_watch(void)
{
    return fh_fault_notice(notice);
}

void fh_memory_unwatch(void)
{
    fh_fault_ignore();
}
