/* config.h: from files that are not code to the settings of a unit.
 *
 * One reader for each kind of file; all of them take any text, keep what they
 * understand, note what they do not, and stay within these limits: see
 * config_build.h. What becomes which fh_setting:
 *
 *   KEY          a value of JSON, YAML, TOML or INI under its dotted path, elements
 *                of lists by number: "zero_optimization.stage", "layers.0.size". Of a
 *                Dockerfile "from" (an image) and "arg.NAME"; of a shell script a
 *                variable that is not exported; of requirements (also in `pip install`)
 *                "requirement", "constraint", "editable", "index-url", "extra-index-url",
 *                "find-links", "local".
 *   ENVIRONMENT  a variable of the environment: exports, prefixes of a command, .env,
 *                ENV, `docker run -e`, and the keys below "env" and "environment"
 *                (compose files, workflows, setenv of tox)
 *   REQUIREMENT  key: the package as PyPI spells it (PEP 503), or conda's name; value:
 *                what stands behind the name, in one form whatever the blanks were:
 *                "[extra]>=2.1,<3; marker", "[extra]@ URL" (requirements.h takes it
 *                apart); of Poetry and Pipfile "^2.1", of conda "=2.1=build"
 *   COMMAND      key: the program without its folder, or "torch.distributed.launch" and the
 *                like for `python -m ...`; value: its arguments. "python" and "pip" also
 *                stand for python3, pip3, `python -m pip`. Only programs of shell_programs.c.
 * "sbatch" also for #SBATCH lines.
 */
#ifndef FH_SCAN_CONFIG_H
#define FH_SCAN_CONFIG_H

#include "analyse/scan/program.h"
#include "analyse/scan/walk.h"

/* Fills `unit`, fresh from fh_unit_init, from `text` (UTF-8, borrowed for the call),
 * for every kind but Python and notebooks (CUDA, C++ and C included). Fails with
 * FH_UNSUPPORTED for those, FH_NO_MEMORY, FH_LIMIT from 4 GiB on; the unit is then
 * to be freed. A file that is broken does not fail: notes say what is wrong. */
fh_status fh_config_read(fh_source_kind kind, fh_text text, fh_unit *unit);

/* The unit kind that goes with a source kind. */
fh_unit_kind fh_config_unit_kind(fh_source_kind kind);

#endif
