/* The time that this thread was off its CPU, as somebody else had it. A system call: between measurements only, or once
 * a context switch is known of. */
#ifndef HWC_NATIVE_OFF_CPU_H
#define HWC_NATIVE_OFF_CPU_H

struct native_off_cpu {
    double seconds; /* of the thread so far, from some time on */
};

struct native_off_cpu native_off_cpu_begin(void);

/* Seconds off the CPU since that began, or since this was last asked. */
double native_off_cpu_since(struct native_off_cpu *off);

#endif
