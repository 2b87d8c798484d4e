#include "device/kern/team.h"

static void split_alone(const fh_team *team, int64_t count, int64_t grain, fh_part *part,
                        void *context)
{
    (void)team, (void)grain;
    part(context, 0, count, 0);
}

const fh_team fh_team_alone = {.width = 1, .split = split_alone};
