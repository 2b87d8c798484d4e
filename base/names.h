/* names.h: functions from an enumerator to its name, out of the map that makes the enum.
 *
 *     #define COLOURS(X) X(RED, "red") X(GREEN, "green")
 *     FH_NAMES(colour_name, colour, COLOURS)
 *
 * defines `const char *colour_name(colour value)`. What follows the name in a row does not count.
 */
#ifndef FH_BASE_NAMES_H
#define FH_BASE_NAMES_H

#define FH_NAMES_FIRST(first, ...) first
#define FH_NAMES_ROW(enumerator, ...) FH_NAMES_FIRST(__VA_ARGS__, 0),

#define FH_NAMES(function, type, map) \
    const char *function(type value) \
    { \
        static const char *const names[] = {map(FH_NAMES_ROW)}; \
        return names[value]; \
    }

#endif
