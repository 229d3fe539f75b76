/* Which hypervisor are we under? */
#ifndef HWC_NATIVE_HYPERVISOR_H
#define HWC_NATIVE_HYPERVISOR_H

#include <stddef.h>

/* Each architecture has its own way to tell. `name` stays as it is where none is seen. */
void native_read_hypervisor(char *name, size_t size);

/* For those that have no instruction for it: what firmware and kernel say. */
void native_read_hypervisor_files(char *name, size_t size);

#endif
