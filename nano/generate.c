#include "generate.h"

#include <string.h>

/* Loops of so many statements at least: what the loop itself takes is next to nothing then. */
enum { UNROLLED = 64 };

static unsigned variables_of(const struct hwc_nano *nano, unsigned s)
{
    unsigned variables = nano->statement[s].variables > 0 ? nano->statement[s].variables : nano->variables;

    return variables > 0 ? variables : 1;
}

/* The first statement whose {c} has the same type and value: one register does for both. */
static unsigned constant_of(const struct hwc_nano *nano, unsigned s)
{
    const struct hwc_nano_statement *statement = nano->statement;

    for (unsigned i = 0; i < s; i++)
        if (statement[i].type == statement[s].type && strcmp(statement[i].other, statement[s].other) == 0 &&
            strstr(statement[i].text, "{c}") != NULL)
            return i;
    return s;
}

/* Are so many statements of each kind whole rounds of its variables? */
static bool are_rounds(const struct hwc_nano *nano, unsigned statements)
{
    for (unsigned s = 0; s < nano->statements; s++)
        if (statements % variables_of(nano, s) != 0)
            return false;
    return true;
}

unsigned nano_labels(const struct hwc_nano *nano)
{
    unsigned labels = 1, all = nano->per_label * nano->statements;

    while (labels * all < UNROLLED || !are_rounds(nano, labels * nano->per_label))
        labels++;
    return labels;
}

unsigned nano_statements(const struct hwc_nano *nano)
{
    return nano_labels(nano) * nano->per_label * nano->statements;
}

const char *nano_flag(const struct hwc_nano *nano)
{
    for (unsigned s = 0; s < nano->statements; s++)
        if (nano->statement[s].type->flag != NULL)
            return nano->statement[s].type->flag;
    return NULL;
}

void nano_write_head(FILE *stream)
{
    fputs("#pragma GCC diagnostic ignored \"-Wpsabi\"\n"
          "static volatile int which;\n",
          stream);
}

static void write_value(FILE *stream, const struct hwc_core_type *type, const char *value)
{
    if (type->lanes == 0) {
        fputs(value, stream);
        return;
    }
    fputc('{', stream);
    for (unsigned i = 0; i < type->lanes; i++)
        fprintf(stream, "%s%s", i > 0 ? ", " : "", value);
    fputc('}', stream);
}

static bool needs_header(const struct hwc_nano_statement *statement)
{
    return statement->type->header != NULL &&
           (statement->type->scalable != NULL || strstr(statement->text, "{root}") != NULL);
}

/* A type of objects that may be volatile. */
static const char *stored_type(const struct hwc_core_type *type)
{
    return type->scalable != NULL ? type->element : type->name;
}

/* Values are read from volatile variables, and written to others: the compiler must neither know them nor drop them. */
static void write_types(FILE *stream, const struct hwc_nano *nano, const char *symbol)
{
    for (unsigned s = 0; s < nano->statements; s++) {
        const struct hwc_nano_statement *statement = &nano->statement[s];
        const struct hwc_core_type *type = statement->type;
        if (needs_header(statement))
            fprintf(stream, "#include <%s>\n", type->header);
        fprintf(stream, "typedef %s %s", type->scalable != NULL ? type->scalable->vector : type->element, type->name);
        if (type->lanes > 0)
            fprintf(stream, " __attribute__((vector_size(%u * sizeof(%s))))", type->lanes, type->element);
        fprintf(stream, ";\nstatic volatile %s %s_first%u = ", stored_type(type), symbol, s);
        write_value(stream, type, statement->first);
        fprintf(stream, ", %s_other%u = ", symbol, s);
        write_value(stream, type, statement->other);
        fputs(";\n", stream);
    }
}

/* An attribute of the function that lets the compiler use what its types need. (Not all compilers heed two of them.) */
static void write_targets(FILE *stream, const struct hwc_nano *nano)
{
    const char *before = "__attribute__((target(\"";

    for (unsigned s = 0; s < nano->statements; s++) {
        const struct hwc_nano_statement *statement = &nano->statement[s];
        const char *target = statement->fused ? statement->type->fused_target : statement->type->target;
        if (target == NULL)
            continue;
        fprintf(stream, "%s%s", before, target);
        before = ",";
    }
    if (before[0] == ',')
        fputs("\")))\n", stream);
}

static void write_variables(FILE *stream, const struct hwc_nano *nano, const char *symbol)
{
    for (unsigned s = 0; s < nano->statements; s++) {
        const struct hwc_core_type *type = nano->statement[s].type;
        const char *fill = type->scalable != NULL ? type->scalable->fill : "";
        const char *opens = type->scalable != NULL ? "(" : "", *closes = type->scalable != NULL ? ")" : "";
        for (unsigned k = 0; k < variables_of(nano, s); k++)
            fprintf(stream, "    %s p%u_%u = %s%s%s_first%u%s;\n", type->name, s, k, fill, opens, symbol, s, closes);
        if (strstr(nano->statement[s].text, "{c}") != NULL && constant_of(nano, s) == s)
            fprintf(stream, "    %s c%u = %s%s%s_other%u%s;\n", type->name, s, fill, opens, symbol, s, closes);
    }
}

static void write_placeholder(FILE *stream, const struct hwc_nano *nano, unsigned s, unsigned k, const char *name,
                              size_t length)
{
    unsigned variables = variables_of(nano, s), i = k % variables;
    const struct hwc_core_type *type = nano->statement[s].type;

    if (strncmp(name, "i", length) == 0)
        fprintf(stream, "p%u_%u", s, i);
    else if (strncmp(name, "p", length) == 0)
        fprintf(stream, "p%u_%u", s, (i + variables - 1) % variables);
    else if (strncmp(name, "c", length) == 0)
        fprintf(stream, "c%u", constant_of(nano, s));
    else if (strncmp(name, "T", length) == 0)
        fputs(type->name, stream);
    else if (strncmp(name, "all", length) == 0)
        fputs(type->scalable->all, stream);
    else
        fputs(type->root, stream);
}

/* Of statement s on its variable k. */
static void write_text(FILE *stream, const struct hwc_nano *nano, unsigned s, unsigned k, const char *text)
{
    while (*text != '\0') {
        size_t plain = strcspn(text, "{");
        fprintf(stream, "%.*s", (int)plain, text);
        text += plain;
        if (*text == '{') {
            size_t length = strcspn(text, "}") - 1;
            write_placeholder(stream, nano, s, k, text + 1, length);
            text += length + 2;
        }
    }
}

static void write_labels(FILE *stream, const struct hwc_nano *nano)
{
    unsigned labels = nano_labels(nano);

    for (unsigned label = 0; label < labels; label++) {
        fprintf(stream, "    case %u: ", label + 1);
        for (unsigned b = 0; b < nano->per_label; b++)
            for (unsigned s = 0; s < nano->statements; s++) {
                write_text(stream, nano, s, label * nano->per_label + b, nano->statement[s].text);
                fputs("; ", stream);
            }
        fputc('\n', stream);
    }
}

/* Those lie on the stack. Where addresses need registers, one that is used before the loop and after it may take one in
 * the loop: the variables would have one fewer, as else is in the file. */
static void write_use(FILE *stream, const struct hwc_nano *nano)
{
    for (unsigned s = 0; s < nano->statements; s++) {
        const struct hwc_core_type *type = nano->statement[s].type;
        fprintf(stream, "    volatile %s used%u;\n", stored_type(type), s);
        for (unsigned k = 0; k < variables_of(nano, s); k++) {
            fprintf(stream, "    used%u = ", s);
            write_text(stream, nano, s, k, type->scalable != NULL ? type->scalable->element : "{i}");
            fputs(";\n", stream);
        }
    }
}

/* Any case might be gone to, as far as the compiler knows, so it can neither combine nor reorder them (Figure 3 d), nor
 * move the last of them behind the mark of the end. */
void nano_write(FILE *stream, const struct hwc_nano *nano, const char *symbol)
{
    write_types(stream, nano, symbol);
    write_targets(stream, nano);
    fprintf(stream, "void %s(unsigned long n)\n{\n", symbol);
    write_variables(stream, nano, symbol);
    fprintf(stream, "    switch (which) {\n    case 0:\n    again:\n    __asm__ volatile(\"/* %s begins */\");\n",
            symbol);
    write_labels(stream, nano);
    fprintf(stream,
            "    case %u: __asm__ volatile(\"/* %s ends */\");\n    if (--n > 0)\n        goto again;\n    }\n",
            nano_labels(nano) + 1, symbol);
    write_use(stream, nano);
    fputs("}\n", stream);
}
