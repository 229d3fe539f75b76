/* What is documented of a simulated machine. */
#ifndef HWC_SIM_DOCUMENTS_H
#define HWC_SIM_DOCUMENTS_H

#include "description.h"
#include "machine.h"

/* The machine file's figures, but for those that it says are documented otherwise. */
void sim_document(const struct sim_description *description, struct hwc_documented *documented);

#endif
