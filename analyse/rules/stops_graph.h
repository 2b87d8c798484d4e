/* stops_graph.h: code of a unit that is known to be compiled by torch.compile or captured into a
 * graph, and what cannot be part of it (FH708).
 *
 * Known: functions decorated with torch.compile or handed to it or to make_graphed_callables,
 * forward of a module that is, blocks under torch.cuda.graph, and what they call in the same file.
 */
#ifndef FH_RULES_STOPS_GRAPH_H
#define FH_RULES_STOPS_GRAPH_H

#include "analyse/rules/dtype_callee.h"

typedef enum { FH_GRAPH_NONE, FH_GRAPH_COMPILED, FH_GRAPH_CAPTURED } fh_graph_kind;

typedef struct {
    const fh_unit *unit;
    uint8_t *functions; /* fh_graph_kind by function; NULL when the unit has no graphs */
    uint8_t *blocks;    /* fh_graph_kind of `with torch.cuda.graph(...)`, by block */
} fh_graphs;

/* What a construct does that a graph may not hold. */
typedef enum {
    FH_STOPS_READ,  /* reads a number back */
    FH_STOPS_COPY,  /* copies a tensor to the host */
    FH_STOPS_TEST,  /* if, while */
    FH_STOPS_TRUTH, /* assert, and, or: torch.compile keeps an assert */
    FH_STOPS_SIZE,  /* a result whose size depends on data */
    FH_STOPS_WRITE, /* through a mask: only a capture refuses it */
    FH_STOPS_PRINT,
} fh_stops;

fh_graphs fh_graphs_find(const fh_rule_run *run, const fh_callee *callees, fh_arena *arena);

/* The graph that the code of a block becomes part of. */
fh_graph_kind fh_graph_of(const fh_graphs *graphs, uint32_t block);

/* Reports FH708 when the code of `block` is part of a graph that may not hold `what`. */
void fh_stops_graph(fh_rule_run *run, const fh_graphs *graphs, uint32_t block, fh_spot spot,
                    fh_text operator, fh_stops what);

#endif
