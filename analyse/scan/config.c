#include "analyse/scan/config.h"
#include "analyse/scan/config_build.h"
#include "analyse/scan/cuda.h"
#include "analyse/scan/requirements.h"
#include "analyse/scan/shell.h"

static fh_status shell_settings(fh_text text, fh_unit *unit)
{
    return fh_shell_settings(text, 0, false, unit);
}

static const struct {
    fh_source_kind kind;
    fh_unit_kind unit;
    fh_status (*read)(fh_text text, fh_unit *unit);
    bool is_bounded; /* what is larger than FH_CONFIG_MOST_BYTES is data */
} readers[] = {
    {FH_SOURCE_SHELL, FH_UNIT_SHELL, shell_settings, false},
    {FH_SOURCE_YAML, FH_UNIT_CONFIG, fh_yaml_settings, true},
    {FH_SOURCE_JSON, FH_UNIT_CONFIG, fh_json_settings, true},
    {FH_SOURCE_TOML, FH_UNIT_CONFIG, fh_toml_settings, true},
    {FH_SOURCE_REQUIREMENTS, FH_UNIT_REQUIREMENTS, fh_requirements_settings, true},
    {FH_SOURCE_INI, FH_UNIT_CONFIG, fh_ini_settings, true},
    {FH_SOURCE_DOCKERFILE, FH_UNIT_SHELL, fh_dockerfile_settings, false},
    {FH_SOURCE_ENVIRONMENT, FH_UNIT_CONFIG, fh_environment_settings, true},
};

enum { READERS = sizeof readers / sizeof *readers };

static bool is_cuda(fh_source_kind kind)
{
    return kind == FH_SOURCE_CUDA || kind == FH_SOURCE_CPP || kind == FH_SOURCE_C;
}

fh_unit_kind fh_config_unit_kind(fh_source_kind kind)
{
    for (size_t i = 0; i < READERS; i++)
        if (readers[i].kind == kind)
            return readers[i].unit;
    return is_cuda(kind)                ? FH_UNIT_CUDA
           : kind == FH_SOURCE_NOTEBOOK ? FH_UNIT_NOTEBOOK
                                        : FH_UNIT_PYTHON;
}

fh_status fh_config_read(fh_source_kind kind, fh_text text, fh_unit *unit)
{
    if (is_cuda(kind))
        return fh_cuda_read(text, unit);
    for (size_t i = 0; i < READERS; i++) {
        if (readers[i].kind != kind)
            continue;
        if (text.length >= UINT32_MAX)
            return fh_error(FH_LIMIT, "larger than 4 GiB");
        unit->bytes = text.length;
        fh_positions_build(&unit->positions, text);
        if (readers[i].is_bounded && text.length > FH_CONFIG_MOST_BYTES) {
            fh_unit_note(unit, FH_NO_OFFSET, "larger than %d MB: taken as data, not as settings",
                         FH_CONFIG_MOST_BYTES >> 20);
            return FH_OK;
        }
        return readers[i].read(text, unit);
    }
    return fh_error(FH_UNSUPPORTED, "%s files have no settings", fh_source_kind_name(kind));
}
