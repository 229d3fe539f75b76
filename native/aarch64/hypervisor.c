#include "hypervisor.h"

void native_read_hypervisor(char *name, size_t size)
{
    native_read_hypervisor_files(name, size);
}
