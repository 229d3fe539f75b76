#include "papi_alike.h"

#include <stdlib.h>
#include <string.h>

#include "tables.h"

const char *ctr_family_alike(const char *family)
{
    static const struct {
        const char *family, *alike;
    } pairs[] = {
        {"emr", "spr"},     {"gnr", "spr"},     {"adl_glc", "spr"}, {"mtl_rwc", "spr"},
        {"lnl_lnc", "spr"}, {"arl_lnc", "spr"}, {"amd64_fam1ah_zen5", "amd64_fam19h_zen4"},
    };

    for (size_t i = 0; family != NULL && i < sizeof pairs / sizeof pairs[0]; i++)
        if (strcmp(family, pairs[i].family) == 0)
            return pairs[i].alike;
    return NULL;
}

const char *ctr_name_of_code(const char *family, const char *raw)
{
    const struct ctr_family *table = ctr_family_by_name(family);

    for (const struct ctr_native *native = table != NULL ? table->natives : NULL;
         native != NULL && native->event != HWC_NO_EVENT; native++)
        if (native->native != NULL && strcmp(native->raw, raw) == 0)
            return native->native;
    return NULL;
}

#ifdef HWC_HAVE_PAPI

#include <papi.h>
#include <sys/wait.h>
#include <unistd.h>

/* libpfm4 looks at the CPU once in a process, so another one asks. */
static int ask(void)
{
    int component;
    const PAPI_component_info_t *info;

    if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
        return 0;
    component = PAPI_get_component_index("perf_event");
    info = component >= 0 ? PAPI_get_component_info(component) : NULL;
    return info != NULL && info->disabled && strstr(info->disabled_reason, "no default PMU") != NULL;
}

const char *ctr_papi_force_alike(const char *family)
{
    const char *alike = ctr_family_alike(family);
    int status = 0;
    pid_t child;

    if (alike == NULL || getenv("LIBPFM_FORCE_PMU") != NULL)
        return NULL;
    child = fork();
    if (child == 0)
        _exit(ask());
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 1)
        return NULL;
    return setenv("LIBPFM_FORCE_PMU", alike, 1) == 0 ? alike : NULL;
}

#endif
