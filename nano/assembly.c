#include "assembly.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* A loop of more of them is none. */
enum { MOST_JUMPS = 1024 };

/* Both are marked by comments, which stand on lines of their own; clang writes them anew, as the assembler's own. */
static const char *find_mark(const char *assembly, const char *symbol, const char *what)
{
    char mark[96];

    snprintf(mark, sizeof mark, " %s %s ", symbol, what);
    return strstr(assembly, mark);
}

/* Without its comment. For aarch64 a hash sign begins constants, too, behind which nothing is sought. */
static size_t length_of(const char *line)
{
    size_t length = strcspn(line, "\n#");
    const char *comment = memmem(line, length, "//", 2);

    return comment != NULL ? (size_t)(comment - line) : length;
}

/* A line with an instruction, not a label, a directive or a comment. */
static bool is_instruction(const char *line, size_t length)
{
    size_t i = 0;

    while (i < length && isspace((unsigned char)line[i]))
        i++;
    return i > 0 && i < length && isalpha((unsigned char)line[i]) && memchr(line + i, ':', length - i) == NULL;
}

static bool has(const char *line, size_t length, const char *text)
{
    return memmem(line, length, text, strlen(text)) != NULL;
}

/* A vector's element, as in z2.s[1]: a letter stands before its number. */
static bool is_element(const char *line, size_t length, size_t bracket)
{
    size_t digits = bracket + 1 < length ? strspn(line + bracket + 1, "0123456789") : 0;

    return bracket > 0 && isalpha((unsigned char)line[bracket - 1]) && digits > 0 && bracket + 1 + digits < length &&
           line[bracket + 1 + digits] == ']';
}

/* The loop has no memory of its own: whatever it loads or stores are variables that found no register. On x86 `lea` only
 * computes an address, which some tunings add by, and st(1) is a register. */
static bool touches_memory(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((line[i] == '[' && !is_element(line, length, i)) ||
            (line[i] == '(' && (i < 2 || strncmp(line + i - 2, "st", 2) != 0)))
            return strncmp(line + strspn(line, " \t"), "lea", 3) != 0;
    return false;
}

/* Has it an operand whose name begins like this? */
static bool has_operand(const char *line, size_t length, const char *begin)
{
    size_t first = strspn(line, " \t");

    for (first += strcspn(line + first, " \t\n"); first + strlen(begin) <= length; first++)
        if (!isalnum((unsigned char)line[first - 1]) && strncmp(line + first, begin, strlen(begin)) == 0)
            return true;
    return false;
}

/* Integers may also be put aside in vector or mask registers. */
static bool changes_kind(const char *line, size_t length)
{
    if (has(line, length, "fmov\t"))
        return has_operand(line, length, "x") || has_operand(line, length, "w");
    if (has(line, length, "fmv."))
        return has(line, length, ".x.") || has(line, length, ".x\t");
    return (has_operand(line, length, "xmm") || has_operand(line, length, "k")) &&
           (has_operand(line, length, "r") || has_operand(line, length, "e"));
}

static bool begins_with(const char *line, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(line, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* What such instructions begin with, on the architectures that are known. */
static bool multiplies_and_adds(const char *line)
{
    static const char *const names[] = {"vfmadd", "fmad", "fmla", "mad", "mla"};

    return begins_with(line + strspn(line, " \t"), names, sizeof names / sizeof names[0]);
}

/* What conditional jumps begin with, on the architectures that are known. No other instruction does, but for those that
 * jump always: jmp on x86, and j, jr, jal and jalr on riscv64. */
static bool is_conditional_jump(const char *line)
{
    static const char *const always[] = {"jmp", "j\t", "jr", "jal"};
    static const char *const names[] = {"j",    "b.",  "cbz", "cbnz", "tbz", "tbnz",
                                        "beq",  "bne", "blt", "bge",  "bgt", "ble"};

    line += strspn(line, " \t");
    return !begins_with(line, always, sizeof always / sizeof always[0]) &&
           begins_with(line, names, sizeof names / sizeof names[0]);
}

/* The next line with an instruction, after this line and before the end; NULL = there is none. */
static const char *next_instruction(const char *line, const char *end)
{
    for (line += strcspn(line, "\n"); line < end; line += strcspn(line, "\n")) {
        line++;
        if (is_instruction(line, length_of(line)))
            return line;
    }
    return NULL;
}

/* The line of the label that it goes to on no condition; NULL = it is no such jump. */
static const char *target_of(const char *assembly, const char *line)
{
    static const char *const names[] = {"jmp\t", "b\t", "j\t"};
    char label[64];
    const char *found = NULL;

    line += strspn(line, " \t");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(line, names[i], strlen(names[i])) == 0) {
            line += strlen(names[i]);
            snprintf(label, sizeof label, "\n%.*s:", (int)strcspn(line, " \t\n"), line);
            found = strstr(assembly, label);
        }
    return found != NULL ? found + 1 : NULL;
}

/* In the order of execution: the compiler may have laid out its blocks in another one, and the end before the begin. */
bool nano_read_loop(const char *assembly, const char *symbol, struct nano_loop *loop)
{
    const char *at = find_mark(assembly, symbol, "begins"), *end = find_mark(assembly, symbol, "ends");
    const char *last = assembly + strlen(assembly);

    *loop = (struct nano_loop){0};
    for (unsigned jumps = 0; at != NULL && end != NULL && jumps < MOST_JUMPS;) {
        const char *line = next_instruction(at, at < end ? end : last), *target;
        if (line == NULL)
            return at < end;
        at = line;
        target = target_of(assembly, line);
        if (target != NULL) {
            at = target;
            jumps++;
            continue;
        }
        loop->instructions++;
        loop->fused += multiplies_and_adds(line);
        loop->spills += touches_memory(line, length_of(line)) || changes_kind(line, length_of(line));
    }
    return false;
}

unsigned nano_read_jumps(const char *assembly, const char *symbol)
{
    char begins[96], ends[96];
    const char *line, *end;
    unsigned count = 0;

    snprintf(begins, sizeof begins, "\n%s:", symbol);
    snprintf(ends, sizeof ends, ".size\t%s,", symbol);
    line = strstr(assembly, begins);
    end = line != NULL ? strstr(line, ends) : NULL;
    if (end == NULL)
        return 0;
    line++; /* to the symbol's own line */
    while ((line = next_instruction(line, end)) != NULL)
        count += is_conditional_jump(line);
    return count;
}
