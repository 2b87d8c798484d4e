/* walk_rules.h: what the names of files and folders tell. */
#ifndef FH_ANALYSE_SCAN_WALK_RULES_H
#define FH_ANALYSE_SCAN_WALK_RULES_H

#include "analyse/scan/walk.h"

typedef enum {
    FH_FOLDER_ENTER,
    FH_FOLDER_LEAVE_OUT,   /* said in the report */
    FH_FOLDER_LEAVE_BUILD, /* likewise, unless it turns out to be a package */
    FH_FOLDER_LEAVE_QUIET, /* holds no source of the target; not worth a line */
} fh_folder_verdict;

/* What to do with a folder of this name; `*reason` says why it is left out. */
fh_folder_verdict fh_walk_judge_folder(fh_text name, const char **reason);

/* Whether the patterns of `options` let a file in, or a folder be entered, at
 * `inside` (the path below the target). */
bool fh_walk_lets_file(const fh_walk_options *options, fh_text inside);
bool fh_walk_lets_folder(const fh_walk_options *options, fh_text inside);

/* Whether an include pattern speaks of this folder by name. */
bool fh_walk_asks_for(const fh_walk_options *options, fh_text inside);

#endif
