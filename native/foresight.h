/* Which hops of emitted code do this core's predictors not foresee? */
#ifndef HWC_NATIVE_FORESIGHT_H
#define HWC_NATIVE_FORESIGHT_H

#include "code.h"

/* NATIVE_RETURNS, unless a short round of them takes far less than one of
 * NATIVE_CALLED_RETURNS; these, too, where no code can be emitted. */
enum native_hops native_unforeseen_hops(void);

#endif
