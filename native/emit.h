/* The code that each architecture's emitter writes. Positions are offsets from
 * `base`, where the code will be executed. */
#ifndef HWC_NATIVE_EMIT_H
#define HWC_NATIVE_EMIT_H

#include <stddef.h>
#include <stdint.h>

/* How one cell's code transfers to the next cell's. */
enum native_transfer { NATIVE_JUMP, NATIVE_RETURN, NATIVE_CALLED_RETURN, NATIVE_TRANSFERS };

struct native_transfer_code {
    void (*put)(char *base, uint64_t from, uint64_t to); /* offsets */
    uint64_t bytes;                                      /* the most that it takes */
};

extern const struct native_transfer_code native_transfer_code[NATIVE_TRANSFERS];

/* The reach of transfers. */
#define NATIVE_REACH_BYTES (UINT64_C(1) << 31)

/* Write instructions that do nothing. */
void native_put_filler(char *at, size_t bytes);

/* Write code that counts a pass and goes to `first`, or returns after the last
 * pass. It takes 16 bytes at most, as every transfer does. After it comes a call
 * to wherever native_enter_returns says, and a trap: 8 bytes more at most.
 * Returns the offset of that call. */
#define NATIVE_MOST_CODE_BYTES UINT64_C(16)
uint64_t native_put_end(char *base, uint64_t from, uint64_t first);

/* Call the code for `passes` passes, at least one. */
void native_enter_code(const char *at, uint64_t passes);

/* The same for code whose returns have no calls. A core takes the targets of these for what its return stack holds, as
 * often as that goes round, and fetches from there until it knows better. So the stack is filled first, by `call` at the
 * walk's end: what is fetched in error is the trap beside it. Else it would be wherever calls were made from before, whose
 * pages and lines take room in what is measured. */
void native_enter_returns(const char *at, uint64_t passes, const char *call);

/* More than any return stack holds. */
enum { NATIVE_RETURN_STACK = 64 };

/* A byte that, repeated, is a trap or no instruction: memory filled with it cannot be executed. */
extern const unsigned char native_trap_byte;

#endif
