/* Which hypervisor are we under? */
#ifndef HWC_NATIVE_HYPERVISOR_H
#define HWC_NATIVE_HYPERVISOR_H

#include <stddef.h>

/* Each architecture has its own way to tell. `name` stays unchanged if no hypervisor is found. */
void native_read_hypervisor(char *name, size_t size);

/* For architectures without an instruction for it: what firmware and kernel report. */
void native_read_hypervisor_files(char *name, size_t size);

#endif
