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
 * pass. It takes 16 bytes at most, as every transfer does. */
#define NATIVE_MOST_CODE_BYTES UINT64_C(16)
void native_put_end(char *base, uint64_t from, uint64_t first);

/* Call the code for `passes` passes, at least one. */
void native_enter_code(const char *at, uint64_t passes);

/* A byte that, repeated, is a trap or no instruction: memory filled with it cannot be executed. */
extern const unsigned char native_trap_byte;

#endif
