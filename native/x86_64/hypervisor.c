#include "hypervisor.h"

#include <cpuid.h>
#include <stdio.h>
#include <string.h>

/* CPUID leaf 1 has a bit for "under a hypervisor"; leaf 0x40000000 has its signature. */
static int read_signature(char signature[13])
{
    unsigned a, b, c, d;

    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & (1u << 31)) == 0)
        return 0;
    __cpuid(0x40000000, a, b, c, d);
    memcpy(signature, &b, 4);
    memcpy(signature + 4, &c, 4);
    memcpy(signature + 8, &d, 4);
    signature[12] = '\0';
    return 1;
}

void native_read_hypervisor(char *name, size_t size)
{
    static const struct {
        const char *signature;
        const char *name;
    } known[] = {{"KVMKVMKVM", "kvm"},    {"Microsoft Hv", "hyper-v"}, {"VMwareVMware", "vmware"},
                 {"XenVMMXenVMM", "xen"}, {"TCGTCGTCGTCG", "qemu"},    {"bhyve bhyve ", "bhyve"},
                 {"VBoxVBoxVBox", "virtualbox"}};
    char signature[13];

    if (!read_signature(signature))
        return;
    snprintf(name, size, "%s", signature[0] != '\0' ? signature : "unnamed");
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(signature, known[i].signature) == 0)
            snprintf(name, size, "%s", known[i].name);
}
