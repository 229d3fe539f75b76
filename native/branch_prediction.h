/* Which transfers of emitted code do this core's branch predictors mispredict? */
#ifndef HWC_NATIVE_BRANCH_PREDICTION_H
#define HWC_NATIVE_BRANCH_PREDICTION_H

#include "code.h"

/* NATIVE_CALLED_RETURN if a short walk of returns without calls takes far less
 * time than one of called returns, or if no code can be emitted; else NATIVE_RETURN. */
enum native_transfer native_unpredicted_transfer(void);

#endif
