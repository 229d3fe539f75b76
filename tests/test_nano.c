/* Nano-benchmarks: the C that is made of a specification, and what is read off a compiler's assembly. Nothing is
 * compiled or timed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "assembly.h"
#include "generate.h"
#include "operations.h"

static const struct hwc_core_type f64 = {.name = "f64", .element = "double", .floating = true, .root = "sqrt"};
static const struct hwc_core_type f32x8 = {
    .name = "f32x8", .element = "float", .lanes = 8, .floating = true, .target = "avx2", .fused_target = "avx2,fma"};

static const struct hwc_scalable vector = {
    .vector = "svfloat64_t", .fill = "svdup_f64", .element = "svlastb({all}, {i})", .all = "svptrue_b64()"};
static const struct hwc_core_type f64xN = {.name = "f64xN", .element = "double", .floating = true, .scalable = &vector,
                                           .header = "arm_sve.h", .flag = "-march=armv8-a+sve"};

/* The caller's to free. */
static char *text_of(const struct hwc_nano *nano)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);

    assert_non_null(stream);
    nano_write(stream, nano, "code");
    fclose(stream);
    return text;
}

static struct hwc_nano_statement statement(const char *text, const struct hwc_core_type *type, bool fused,
                                           unsigned variables)
{
    return (struct hwc_nano_statement){
        .text = text, .type = type, .first = "1", .other = "1", .fused = fused, .variables = variables};
}

static struct hwc_nano two(struct hwc_nano_statement first, struct hwc_nano_statement second, unsigned variables)
{
    return (struct hwc_nano){.statement = {first, second}, .statements = 2, .variables = variables, .per_label = 1};
}

static void assert_has(const struct hwc_nano *nano, const char *const *lines)
{
    char *text = text_of(nano);

    for (; *lines != NULL; lines++)
        if (strstr(text, *lines) == NULL)
            fail_msg("\"%s\" is not in\n%s", *lines, text);
    free(text);
}

static unsigned count_of(const char *text, const char *part)
{
    unsigned count = 0;

    for (; (text = strstr(text, part)) != NULL; text += strlen(part))
        count++;
    return count;
}

static void a_latency_is_one_variable_that_waits_for_itself(void **state)
{
    const struct hwc_nano nano = hwc_nano_of(hwc_find_operation("add", &f64), &f64, 1, 1);
    char *text = text_of(&nano);

    (void)state;
    assert_int_equal(count_of(text, "p0_0 = p0_0 + c0;"), nano_statements(&nano));
    assert_int_equal(count_of(text, "    case "), nano_labels(&nano) + 2); /* before them, and the end */
    free(text);
}

/* X-Ray, 3.3: N = 3, B = 1. */
static void variables_take_turns(void **state)
{
    const struct hwc_nano nano = hwc_nano_of(hwc_find_operation("add", &f64), &f64, 3, 1);

    (void)state;
    assert_has(&nano, (const char *const[]){"case 1: p0_0 = p0_0 + c0; \n", "case 2: p0_1 = p0_1 + c0; \n",
                                            "case 3: p0_2 = p0_2 + c0; \n", "case 4: p0_0 = p0_0 + c0; \n", NULL});
    assert_int_equal(nano_labels(&nano) % 3, 0);
}

static void several_statements_stand_behind_a_label(void **state)
{
    const struct hwc_nano nano = hwc_nano_of(hwc_find_operation("multiply", &f64), &f64, 4, 2);

    (void)state;
    assert_has(&nano, (const char *const[]){"case 1: p0_0 = p0_0 * c0; p0_1 = p0_1 * c0; \n",
                                            "case 2: p0_2 = p0_2 * c0; p0_3 = p0_3 * c0; \n", NULL});
    assert_int_equal(nano_statements(&nano), 2 * nano_labels(&nano));
}

/* X-Ray, 3.5: N = 4. */
static void a_variable_may_take_the_one_before(void **state)
{
    const struct hwc_nano nano = {
        .statement = {statement("{i} = {i} + {p}", &f64, false, 0)}, .statements = 1, .variables = 4, .per_label = 1};

    (void)state;
    assert_has(&nano, (const char *const[]){"case 1: p0_0 = p0_0 + p0_3;", "case 2: p0_1 = p0_1 + p0_0;",
                                            "case 4: p0_3 = p0_3 + p0_2;", "case 5: p0_0 = p0_0 + p0_3;", NULL});
}

static void two_operations_take_turns_on_variables_of_their_own(void **state)
{
    const struct hwc_nano nano =
        two(statement("{i} = {i} + {c}", &f64, false, 0), statement("{i} = {i} * {c}", &f32x8, false, 0), 2);

    (void)state;
    assert_has(&nano, (const char *const[]){"case 1: p0_0 = p0_0 + c0; p1_0 = p1_0 * c1;",
                                            "case 2: p0_1 = p0_1 + c0; p1_1 = p1_1 * c1;", NULL});
}

/* Neither waits for itself earlier than after all its variables, where the loop begins anew, too. */
static void each_operation_may_have_its_own_number_of_variables(void **state)
{
    const struct hwc_nano nano =
        two(statement("{i} = {i} + {c}", &f64, false, 2), statement("{i} = {i} * {p}", &f32x8, true, 3), 1);

    (void)state;
    assert_has(&nano, (const char *const[]){"case 1: p0_0 = p0_0 + c0; p1_0 = p1_0 * p1_2;",
                                            "case 3: p0_0 = p0_0 + c0; p1_2 = p1_2 * p1_1;",
                                            "case 4: p0_1 = p0_1 + c0; p1_0 = p1_0 * p1_2;", "used1 = p1_2;",
                                            NULL});
    assert_int_equal(nano_labels(&nano) % 6, 0);
}

static void alike_constants_share_a_register(void **state)
{
    const struct hwc_nano nano =
        two(statement("{i} = {i} + {c}", &f64, false, 0), statement("{i} = {i} * {c}", &f64, false, 0), 1);
    struct hwc_nano other = nano;

    (void)state;
    other.statement[1].other = "2";
    assert_has(&nano, (const char *const[]){"p0_0 = p0_0 + c0; p1_0 = p1_0 * c0;", NULL});
    assert_has(&other, (const char *const[]){"f64 c1 = code_other1;", "p0_0 = p0_0 + c0; p1_0 = p1_0 * c1;", NULL});
}

static void what_several_types_need_is_one_attribute(void **state)
{
    static const struct hwc_core_type i32x4 = {.name = "i32x4", .element = "int", .lanes = 4, .target = "sse4.1"};
    const struct hwc_nano nano =
        two(statement("{i} = {i} + {c}", &i32x4, false, 0), statement("{i} = {i} * {c} + {c}", &f32x8, true, 0), 1);

    (void)state;
    assert_has(&nano, (const char *const[]){"__attribute__((target(\"sse4.1,avx2,fma\")))\nvoid code(", NULL});
}

static void types_bring_what_they_need(void **state)
{
    const struct hwc_nano plain = hwc_nano_of(hwc_find_operation("compare", &f32x8), &f32x8, 1, 1);
    const struct hwc_nano fused = hwc_nano_of(hwc_find_operation("fma", &f32x8), &f32x8, 1, 1);
    const struct hwc_nano root = hwc_nano_of(hwc_find_operation("square_root", &f64), &f64, 1, 1);

    (void)state;
    assert_has(&plain, (const char *const[]){"typedef float f32x8 __attribute__((vector_size(8 * sizeof(float))));",
                                             "target(\"avx2\")", "p0_0 = (f32x8)(p0_0 < c0);",
                                             "static volatile f32x8 code_first0 = {1, 1, 1, 1, 1, 1, 1, 1}", NULL});
    assert_has(&fused, (const char *const[]){"target(\"avx2,fma\")", NULL});
    assert_has(&root, (const char *const[]){"p0_0 = sqrt(p0_0 + c0);", NULL});
}

/* C has no volatile objects of theirs, nor operators. */
static void scalable_vectors_are_made_of_elements(void **state)
{
    struct hwc_nano nano = hwc_nano_of(hwc_find_operation("add", &f64xN), &f64xN, 2, 1);

    (void)state;
    assert_has(&nano, (const char *const[]){"#include <arm_sve.h>\ntypedef svfloat64_t f64xN;\n",
                                            "static volatile double code_first0 = 1, code_other0 = 1;\n",
                                            "    f64xN p0_1 = svdup_f64(code_first0);\n",
                                            "    f64xN c0 = svdup_f64(code_other0);\n",
                                            "case 2: p0_1 = svadd_x(svptrue_b64(), p0_1, c0); \n",
                                            "    volatile double used0;\n",
                                            "    used0 = svlastb(svptrue_b64(), p0_1);\n", NULL});
    nano.statement[0] = hwc_sum_with_former(&f64xN);
    assert_has(&nano, (const char *const[]){"case 1: p0_0 = svadd_x(svptrue_b64(), p0_0, p0_1); \n", NULL});
    assert_null(hwc_find_operation("compare", &f64xN));
    assert_null(hwc_find_operation("shift", &f64xN));
}

static void what_one_type_needs_the_file_is_compiled_with(void **state)
{
    struct hwc_nano nano =
        two(statement("{i} = {i} + {c}", &f64, false, 0), statement("{i} = {i}", &f64xN, false, 0), 1);

    (void)state;
    assert_string_equal(nano_flag(&nano), "-march=armv8-a+sve");
    nano.statements = 1;
    assert_null(nano_flag(&nano));
}

static void values_come_from_volatile_variables_and_go_to_others(void **state)
{
    const struct hwc_nano nano = hwc_nano_of(hwc_find_operation("add", &f64), &f64, 2, 1);

    (void)state;
    assert_has(&nano, (const char *const[]){"f64 p0_1 = code_first0;", "f64 c0 = code_other0;", "switch (which)",
                                            "volatile f64 used0;", "used0 = p0_1;", NULL});
}

/* The first spill on each architecture; what stands before and behind the loop does not count. */
static void spills_are_counted_in_the_loop(void **state)
{
    static const struct {
        const char *loop;
        unsigned instructions, spills;
    } cases[] = {
        {"\taddl\t%eax, %edx\n.L3:\n\taddl\t%edx, %ecx\n", 2, 0},
        {"\taddl\t-8(%rsp), %edx\n.L3:\n\taddl\t%edx, -8(%rsp)\n", 2, 2},
        {"\tvaddpd\t%zmm1, %zmm0, %zmm0\n\tvmovapd\t%zmm0, -72(%rsp)\n", 2, 1},
        {"\tmovd\t%xmm1, %eax\n\taddl\t%eax, %edx\n", 2, 1},
        {"\tkmovd\t%edx, %k1\n\tvaddps\t%zmm1, %zmm0, %zmm0{%k1}\n", 2, 1},
        {"\tvmovd\txmm1, r8d\n\tmovaps\txmm1, xmm0\n\tadd\teax, DWORD PTR -8[rsp]\n\tadd\teax, edx\n", 4, 2},
        {"\tleal\t(%rax,%rdx), %eax\n\tlea\tecx, [rax+rcx]\n", 2, 0},
        {"\tfadd\t%st(1), %st\n\tfxch\t%st(2)\n\tfadd\tst(1), st\n\tfstps\t-16(%rsp)\n", 4, 1},
        {"\tadd\tw0, w0, w1\n#NO_APP\n\tldr\tw1, [sp, 12]\n", 2, 1},
        {"\tfadd\td0, d0, d1\n\tfmov\tx1, d0\n", 2, 1},
        {"\tfmov\td2, d0\n\tfmov\ts1, w0\n", 2, 1},
        {"\tfadd\tz0.s, z0.s, z31.s\n\tldr\tz1, [sp, #1, mul vl]\n\tstr\tz1, [x9]\n", 3, 2},
        {"\tmovprfx\tz1, z2\n\tst1w\tz1.s, p0, [sp, 2, mul vl]\n\tld1rw\tz2.s, p0/z, [x8]\n", 3, 2},
        {"\tstr\tp1, [sp, 7, mul vl]\n\tfmla\tz0.s, z1.s, z2.s[1]\n\tfmul\tv0.2d, v1.2d, v2.d[1]\n", 3, 1},
        {"\tfmv.d\tfa2,fa0\n\tfmv.w.x\tfa1,a0\n\tfmv.x.d a1,fa0\n", 3, 2},
        {"\taddw\ta5,a5,a4\n\tsd\ta5,8(sp)\n", 2, 1},
        {"\t.loc 1 2\n\tfadd.d\tfa5,fa5,fa4\n", 1, 0},
        {".LBB0_3:\n\taddl\t%eax, %ecx # of (them): [1]\n\tmovl\t%ecx, -4(%rsp)          # 4-byte Spill\n", 2, 1},
        {".LBB0_3:                   // =>This\n\tadd\tw0, w0, w1\n\tstr\tw1, [sp, #12]     // 4-byte Spill\n", 2, 1},
    };
    static const char *const comments[][2] = {{"/*", "*/"}, {"#", ""}, {"//", ""}}; /* GCC; clang */
    struct nano_loop loop;
    char text[512];

    (void)state;
    for (size_t i = 0; i < 3 * sizeof cases / sizeof cases[0]; i++) {
        const char *opens = comments[i % 3][0], *closes = comments[i % 3][1];
        snprintf(text, sizeof text, "code:\n\tmovq\t%%rax, (%%rsp)\n\t%s code begins %s\n%s\t%s code ends %s\n%s",
                 opens, closes, cases[i / 3].loop, opens, closes, "\tldr\tx0, [sp]\n");
        assert_true(nano_read_loop(text, "code", &loop));
        assert_int_equal(loop.instructions, cases[i / 3].instructions);
        assert_int_equal(loop.spills, cases[i / 3].spills);
    }
    assert_false(nano_read_loop(text, "other", &loop));
}

/* Whatever stands beside them. */
static void fused_operations_are_counted(void **state)
{
    static const char text[] = "\t/* code begins */\n\tmov\tv3.16b, v1.16b\n\tfmla\tv3.2d, v0.2d, v1.2d\n"
                               "\tfmul\tv0.2d, v0.2d, v1.2d\n\tvfmadd132pd\t%ymm1, %ymm1, %ymm0\n"
                               "\tfmadd.d\tfa5,fa5,fa4,fa4\n\tfmad\tz0.s, p0/m, z1.s, z1.s\n"
                               "\tmad\tz0.s, p0/m, z1.s, z1.s\n\tmadd\tw0, w0, w1, w1\n\t/* code ends */\n";
    struct nano_loop loop;

    (void)state;
    assert_true(nano_read_loop(text, "code", &loop));
    assert_int_equal(loop.instructions, 8);
    assert_int_equal(loop.fused, 6);
}

/* GCC lays out loops like this at -Os. A loop that has no end, or leads out of the text, is not read. */
static void loops_are_read_in_the_order_of_execution(void **state)
{
    static const char turned[] = "code:\n.L3:\n\taddl\t-8(%%rsp), %%eax\n\tjmp\t.L5\n.L4:\n\taddl\t%%ecx, %%edx\n"
                                 "\t/* code ends */\n\tmovl\t(%%rcx), %%eax\n.L2:\n\t/* code begins */\n\tjmp\t.L3\n"
                                 ".L5:\n\taddl\t%%eax, %%ecx\n\tjmp\t%s\n";
    struct nano_loop loop;
    char text[512];

    (void)state;
    snprintf(text, sizeof text, turned, ".L4");
    assert_true(nano_read_loop(text, "code", &loop));
    assert_int_equal(loop.instructions, 3);
    assert_int_equal(loop.spills, 1);
    snprintf(text, sizeof text, turned, ".L3");
    assert_false(nano_read_loop(text, "code", &loop));
    snprintf(text, sizeof text, turned, "*%rax");
    assert_false(nano_read_loop(text, "code", &loop));
}

/* In whatever order the function's blocks stand. Ways into the loop's middle jump on no condition. */
static void jumps_are_counted_in_the_function(void **state)
{
    static const struct {
        const char *code;
        unsigned jumps;
    } cases[] = {
        {"\tret\n", 0},
        {"\tcomisd\t%xmm0, %xmm1\n\tjbe\t.L4\n\t/* code ends */\n\tret\n\t/* code begins */\n.L3:\n\tjmp\t.L3\n", 1},
        {"\tfcmpe\td0, d1\n\tb.mi\t.L4\n\tcbnz\tw0, .L3\n\tbic\tw1, w1, w2\n\tbl\tx\n", 2},
        {"\tflt.d\ta5,fa5,fa4\n\tbeq\ta5,zero,.L4\n\tbgtu\ta5,a4,.L3\n", 2},
        {"\tjr\ta5\n.L2:\n\tj\t.L4\n\tjal\tra,x\n\tjalr\ta5\n\tbne\ta0,zero,.L2\n", 1},
    };
    char text[512];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(text, sizeof text, "\tjmp\tx\ncode:\n%s\t.size\tcode, .-code\n\tjmp\tx\n", cases[i].code);
        assert_int_equal(nano_read_jumps(text, "code"), cases[i].jumps);
        assert_int_equal(nano_read_jumps(text, "other"), 0);
    }
}

static void operations_are_asked_of_the_types_that_have_them(void **state)
{
    static const struct hwc_core_type i32 = {.name = "i32", .element = "int"};

    (void)state;
    assert_null(hwc_find_operation("square_root", &i32));
    assert_null(hwc_find_operation("shift", &f64));
    assert_true(hwc_find_operation("fma", &f64)->fused);
    assert_false(hwc_find_operation("fma", &i32)->fused);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_latency_is_one_variable_that_waits_for_itself),
        cmocka_unit_test(variables_take_turns),
        cmocka_unit_test(several_statements_stand_behind_a_label),
        cmocka_unit_test(a_variable_may_take_the_one_before),
        cmocka_unit_test(two_operations_take_turns_on_variables_of_their_own),
        cmocka_unit_test(each_operation_may_have_its_own_number_of_variables),
        cmocka_unit_test(alike_constants_share_a_register),
        cmocka_unit_test(what_several_types_need_is_one_attribute),
        cmocka_unit_test(types_bring_what_they_need),
        cmocka_unit_test(scalable_vectors_are_made_of_elements),
        cmocka_unit_test(what_one_type_needs_the_file_is_compiled_with),
        cmocka_unit_test(values_come_from_volatile_variables_and_go_to_others),
        cmocka_unit_test(spills_are_counted_in_the_loop),
        cmocka_unit_test(fused_operations_are_counted),
        cmocka_unit_test(loops_are_read_in_the_order_of_execution),
        cmocka_unit_test(jumps_are_counted_in_the_function),
        cmocka_unit_test(operations_are_asked_of_the_types_that_have_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
