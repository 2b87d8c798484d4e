/* requirements.h: what is to be installed with pip or conda. */
#ifndef FH_SCAN_REQUIREMENTS_H
#define FH_SCAN_REQUIREMENTS_H

#include "analyse/scan/program.h"

/* The parts of one requirement (PEP 508): parts of the text it was read from, blanks included. */
typedef struct {
    fh_text name;
    fh_text extras;    /* "a, b" */
    fh_text specifier; /* ">=2.1, <3" */
    fh_text url;       /* of "name @ URL", or the whole of a bare URL or path */
    fh_text marker;    /* behind ';' */
} fh_requirement;

/* Takes one requirement apart, without comment. A URL without a name has one when it ends in
 * #egg=NAME, in a wheel or in a repository. False when it is none. */
bool fh_requirement_parse(fh_text text, fh_requirement *requirement);

/* The parts of the value of an FH_SETTING_REQUIREMENT; `name` is empty. */
void fh_requirement_split(fh_text value, fh_requirement *requirement);

/* Adds the setting of a requirement of pip; of conda ("channel::name=1.2=build", "name >=1"). */
bool fh_requirement_add(fh_unit *unit, fh_text text, uint32_t offset);
bool fh_requirement_add_conda(fh_unit *unit, fh_text text, uint32_t offset);

/* Adds the setting of a package by name and version, as Poetry and Pipfile write it ("*" is ""). */
void fh_requirement_add_version(fh_unit *unit, fh_text name, fh_text version, uint32_t offset);

/* Reads one argument of pip, `word`; `next` is the one behind it. Returns how many it took. */
int fh_requirement_argument(fh_unit *unit, fh_text word, fh_text next, uint32_t offset);

/* Reads a line of a requirements file: one requirement, or options. What is neither is noted. */
void fh_requirement_add_line(fh_unit *unit, fh_text line, uint32_t offset);

/* Adds those that a Python unit hands to setup(): install_requires, extras_require and the like,
 * where they are written out. */
void fh_setup_requirements(fh_unit *unit);

/* Reads a requirements or constraints file into `unit`, whose positions are there already.
 * Fails with FH_NO_MEMORY. */
fh_status fh_requirements_settings(fh_text text, fh_unit *unit);

#endif
