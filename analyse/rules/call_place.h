/* call_place.h: whether what a call works on lies on the CPU, as far as the text says.
 *
 * The answer needs the whole flow of a unit (host_flow.h), which is worked out when the first
 * question is asked. */
#ifndef FH_RULES_CALL_PLACE_H
#define FH_RULES_CALL_PLACE_H

#include "analyse/rules/host_flow.h"

/* Begins as {.run = run}; one unit, one thread. */
typedef struct {
    fh_rule_run *run;
    fh_host_unit host;
    bool is_open, has_failed;
} fh_call_places;

/* True for solve(a.cpu(), b): all tensors of an operator lie on one device. False for call 0, and
 * when memory ran out. */
bool fh_call_is_on_host(fh_call_places *places, uint32_t call);

void fh_call_places_close(fh_call_places *places);

/* The same of a unit whose values are worked out already. */
bool fh_call_runs_on_host(const fh_host_unit *host, uint32_t call);

#endif
