/* doctor_build.h: what doctor.c shares with its parts; for them only. */
#ifndef FH_FACTS_DOCTOR_BUILD_H
#define FH_FACTS_DOCTOR_BUILD_H

#include "facts/doctor.h"

typedef struct {
    const fh_machine *machine; /* NULL: not looked at */
    const fh_pin *pins;
    uint32_t pin_count;
    fh_doctor *doctor;
} fh_examination;

/* Formats into the arena. */
fh_text fh_doctor_say(fh_doctor *doctor, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds a problem of a pin, or of the machine when `pin` is NULL. */
void fh_doctor_add(fh_doctor *doctor, const fh_pin *pin, fh_text problem, fh_text advice,
                   fh_text source);

/* Whether a pin is for a project; PyPI's comparison of names. */
bool fh_pin_is_for(const fh_pin *pin, const char *project);

/* Whether all pins for a project take a version, written as in the tables. */
bool fh_pins_take(const fh_examination *examination, const char *project, fh_text version);

void fh_doctor_check_pins(const fh_examination *examination);
void fh_doctor_check_machine(const fh_examination *examination);

#endif
