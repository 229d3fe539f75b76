/* Nano-benchmarks: statements that a compiler makes code of, to be timed
 * (X-Ray: Yotov, Pingali and Stodghill, QEST 2005, section 2).
 *
 * A specification is data: a statement, the types of its variables, how many
 * variables there are, and how many statements stand behind a case label. */
#ifndef HWC_NANO_H
#define HWC_NANO_H

#include <stdbool.h>

#include "error.h"

struct hwc_machine;

/* What takes the place of C's own words where only the CPU knows how long a vector is: of such types C has no objects
 * but local ones, and no operators on them. The type's header has functions. */
struct hwc_scalable {
    const char *vector;  /* the header's name of it, "svfloat32_t" */
    const char *fill;    /* the function that makes one of an element, "svdup_f32" */
    const char *element; /* an element of {i}, "svlastb({all}, {i})" */
    const char *all;     /* the predicate by which a function takes all elements, "svptrue_b32()" */
};

/* A type of variables. */
struct hwc_core_type {
    const char *name;    /* "i32", "f64", "f32x8"; "f32xN" = only the CPU knows how many elements it has */
    const char *element; /* in C: "int" */
    unsigned lanes;      /* of a vector; 0 = it is none, or scalable */
    const struct hwc_scalable *scalable; /* NULL = it is not */
    bool floating;
    const char *extension;    /* of the instruction set, that it belongs to; NULL = none */
    const char *target;       /* what the compiler must be allowed to use for it, "avx2"; NULL = nothing */
    const char *fused_target; /* and for fused operations, "avx2,fma" */
    const char *flag;         /* without which the compiler does not know it, "-march=..."; NULL = it does */
    const char *root;         /* the function for square roots; NULL = none */
    const char *header;       /* that declares it, and what a scalable type has; NULL = none is needed */
};

enum { HWC_NANO_STATEMENTS = 2 };

/* A statement S. In its text, {i} stands for the variable that is its turn, {p} for the one before, {c} for another one
 * that stays as it is, {T} for the type, {root} for the square root, {all} for the predicate of a scalable type. */
struct hwc_nano_statement {
    const char *text; /* "{i} = {i} + {c}" */
    const struct hwc_core_type *type;
    const char *first, *other; /* what {i} and {c} are in the beginning */
    bool fused;                /* the compiler may fuse its operations */
    unsigned variables;        /* its own N; 0 = that of the nano-benchmark */
};

/* Statement k is S of variable k mod N; with several S, they take turns, each on variables of its own. Those whose {c} is
 * of the same type and value share it. */
struct hwc_nano {
    struct hwc_nano_statement statement[HWC_NANO_STATEMENTS];
    unsigned statements;
    unsigned variables; /* N: of each statement that has none of its own */
    unsigned per_label; /* B: so many of each statement stand behind a case label */
};

/* What became of one. */
struct hwc_nano_code {
    bool runs;          /* it was compiled, loaded and tried out */
    bool refused;       /* the CPU does not know one of its instructions */
    const char *reason; /* why not; valid until the next preparation */
    bool assembled;     /* what follows was read off the compiler's assembly */
    unsigned statements;   /* in the loop */
    unsigned instructions; /* in the loop */
    unsigned fused;        /* of these, that multiply and add */
    unsigned spills;       /* of these, that keep a variable elsewhere than in a register of its kind */
    unsigned jumps;        /* conditional ones, in the whole function */
};

struct hwc_vector_bits {
    double executed, documented; /* 0 = not known */
};

/* A core that executes what a compiler made. */
struct hwc_core {
    const struct hwc_core_type *types; /* that compilers for it know; not each has what they need */
    const unsigned *type_count;

    /* Compile those that are not yet; handle[i] is that of nanos[i] from then on. HWC_UNAVAILABLE: no compiler works
     * here. A function that a compiler or the CPU refuses is no failure: see code(). */
    int (*prepare)(struct hwc_machine *, const struct hwc_nano *nanos, unsigned count, unsigned *handles,
                   struct hwc_error *);

    const struct hwc_nano_code *(*code)(struct hwc_machine *, unsigned handle);

    /* Core cycles of one statement. HWC_UNAVAILABLE: it does not run, or its time says nothing of a core. */
    int (*time)(struct hwc_machine *, unsigned handle, double *cycles, struct hwc_error *);

    /* Does the system say that the CPU has this extension? *known = false: it says nothing. */
    bool (*documents)(const char *extension, bool *known);

    /* Bits of a vector whose length only the CPU knows: by its own instruction for it, which ends the process on a CPU
     * that has no such vectors, and by what the system says. */
    struct hwc_vector_bits (*vector_bits)(void);
};

#endif
