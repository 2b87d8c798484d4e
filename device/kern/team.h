/* team.h: how a kernel spreads over processors, without knowing who runs it.
 *
 * A kernel is called on one thread and may split its work; the team decides how
 * many threads take part. Nothing may be assumed of which thread runs which
 * part, nor of their order. Parts must not split again.
 */
#ifndef FH_KERN_TEAM_H
#define FH_KERN_TEAM_H

#include <stddef.h>
#include <stdint.h>

/* Works on [begin, end) of what is split. `slot` is below the team's width and
 * belongs to one running part at a time: it indexes scratch memory. */
typedef void fh_part(void *context, int64_t begin, int64_t end, unsigned slot);

typedef struct fh_team fh_team;
struct fh_team {
    unsigned width; /* threads that can take part, at least 1 */
    void (*split)(const fh_team *team, int64_t count, int64_t grain, fh_part *part, void *context);
};

/* Calls part() on pieces that together are [0, count), none smaller than
 * `grain` except the last; returns when all have. Writes of the parts are
 * visible to the caller afterwards. With one piece it runs on the caller. */
static inline void fh_team_split(const fh_team *team, int64_t count, int64_t grain, fh_part *part,
                                 void *context)
{
    if (count <= grain || team->width == 1) {
        if (count > 0)
            part(context, 0, count, 0);
        return;
    }
    team->split(team, count, grain, part, context);
}

/* The team of the calling thread alone. */
extern const fh_team fh_team_alone;

#endif
