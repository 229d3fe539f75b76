/* Which transfers of emitted code do this core's predictors not foresee? */
#ifndef HWC_NATIVE_BRANCH_PREDICTION_H
#define HWC_NATIVE_BRANCH_PREDICTION_H

#include "code.h"

/* NATIVE_CALLED_RETURN where a short round of bare returns takes far less than
 * one of called returns, or where no code can be emitted; else NATIVE_RETURN. */
enum native_transfer native_unpredicted_transfer(void);

#endif
