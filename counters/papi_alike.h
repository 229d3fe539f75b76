/* PAPI on a CPU that its libpfm4 does not know. */
#ifndef HWC_COUNTERS_PAPI_ALIKE_H
#define HWC_COUNTERS_PAPI_ALIKE_H

/* A family with the same codes that libpfm4 knew before this one; NULL if there is none. */
const char *ctr_family_alike(const char *family);

/* The name that a family's table has for a code, "r08d1"; NULL if it has none. */
const char *ctr_name_of_code(const char *family, const char *raw);

/* PAPI counts by nothing at all where its libpfm4 does not know the CPU, not even by raw codes. Then its libpfm4 is
 * told, by LIBPFM_FORCE_PMU, that the CPU is of the family alike, whose names stand for the codes. Call it before
 * PAPI_library_init; NULL if that is not needed, or there is no such family. */
const char *ctr_papi_force_alike(const char *family);

#endif
