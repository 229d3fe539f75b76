#include "host.h"

#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

static void read_model(struct hwc_host *host)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];

    while (file != NULL && host->cpu_model[0] == '\0' && fgets(line, sizeof line, file) != NULL) {
        const char *value = strchr(line, ':');
        if (value == NULL || (strncmp(line, "model name", 10) != 0 && strncmp(line, "cpu\t", 4) != 0 &&
                              strncmp(line, "uarch", 5) != 0))
            continue;
        value += strspn(value, ": \t");
        snprintf(host->cpu_model, sizeof host->cpu_model, "%.*s", (int)strcspn(value, "\n"), value);
    }
    if (file != NULL)
        fclose(file);
}

#if defined(__x86_64__)
/* CPUID leaf 1 has a bit for "under a hypervisor"; leaf 0x40000000 its signature. */
static void read_hypervisor(struct hwc_host *host)
{
    static const struct {
        const char *signature;
        const char *name;
    } known[] = {{"KVMKVMKVM", "kvm"},     {"Microsoft Hv", "hyper-v"}, {"VMwareVMware", "vmware"},
                 {"XenVMMXenVMM", "xen"},  {"TCGTCGTCGTCG", "qemu"},    {"bhyve bhyve ", "bhyve"},
                 {"VBoxVBoxVBox", "virtualbox"}};
    unsigned a, b, c, d;
    char signature[13] = "";

    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & (1u << 31)) == 0)
        return;
    __cpuid(0x40000000, a, b, c, d);
    memcpy(signature, &b, 4);
    memcpy(signature + 4, &c, 4);
    memcpy(signature + 8, &d, 4);
    snprintf(host->hypervisor, sizeof host->hypervisor, "%s", signature[0] != '\0' ? signature : "unnamed");
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(signature, known[i].signature) == 0)
            snprintf(host->hypervisor, sizeof host->hypervisor, "%s", known[i].name);
}
#else
static void read_hypervisor(struct hwc_host *host)
{
    FILE *file = fopen("/proc/device-tree/hypervisor/compatible", "r");

    if (file == NULL)
        file = fopen("/sys/hypervisor/type", "r");
    if (file == NULL)
        return;
    if (fgets(host->hypervisor, sizeof host->hypervisor, file) != NULL)
        host->hypervisor[strcspn(host->hypervisor, "\n")] = '\0';
    fclose(file);
}
#endif

void native_describe_host(struct hwc_host *host)
{
    read_model(host);
    read_hypervisor(host);
}
