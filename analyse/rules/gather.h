/* gather.h: what the threads of an analysis found, brought together in one order. */
#ifndef FH_RULES_GATHER_H
#define FH_RULES_GATHER_H

#include "analyse/rules/run.h"

/* A site with what is known of its size, on its way into the result. */
typedef struct {
    fh_text name;
    const fh_api *api;
    double parameters, flops, moved; /* as in fh_size */
    const char *per;
    uint32_t unit, offset, end, function;
    uint8_t category, certainty;
} fh_raw_site;

typedef FH_VECTOR(fh_raw_site) fh_raw_sites;

/* Sorts the sites by name and place and makes one operator of each name, with its verdict. */
void fh_gather_operators(const fh_load *load, const fh_analysis_options *options,
                         fh_raw_sites *sites, fh_result *result);

/* Sorts the findings, leaves out those that the source says to ignore, groups equal ones. */
void fh_gather_findings(const fh_load *load, const fh_analysis_options *options,
                        fh_raw_findings *findings, fh_result *result);

/* Fills a location from a place in a unit. */
fh_location fh_gather_location(const fh_load *load, uint32_t unit, uint32_t offset, uint32_t end,
                               uint32_t function, fh_certainty certainty, fh_arena *arena);

/* Training and inference steps, and the plan to profile them (profiling.c). */
void fh_gather_profiling(const fh_load *load, const fh_analysis_options *options,
                         fh_result *result);

/* What to expect on the chip (expectation.c); operators and findings must be there. */
void fh_gather_expectation(const fh_analysis_options *options, fh_result *result);

/* Ranks the rules that found something (gather_priorities.c); classes must be there. */
void fh_gather_priorities(const fh_analysis_options *options, fh_result *result);

#endif
