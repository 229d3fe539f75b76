/* How PMUs outside the cores count misses, against the event files (event_facts/uncore.def), in both directions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tables.h"
#include "uncore_ways.h"

static const struct fact {
    const char *kind;
    uint64_t code, umask;
    const char *filter, *name;
    enum hwc_event event;
    const char *documents;
} facts[] = {
#define UNCORE_FACT(kind, code, umask, filter, name, event, documents)                                                 \
    {kind, code, umask, filter, name, HWC_##event, documents},
#include "event_facts/uncore.def"
};

enum { FACTS = sizeof facts / sizeof facts[0] };

static bool is_word_of(const char *words, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = strstr(words, word); at != NULL; at = strstr(at + 1, word))
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

/* The value of a term: "event" of "event=0x35,umask=0x21", and of "type=0x05,eventid=0x01" for Arm's mesh. */
static uint64_t value_of(const char *terms, const char *term)
{
    const char *at = strstr(terms, term);

    while (at != NULL && at != terms && at[-1] != ',')
        at = strstr(at + 1, term);
    return at != NULL ? strtoull(at + strlen(term), NULL, 16) : 0;
}

static bool says(const struct fact *fact, const struct ctr_uncore_way *way)
{
    uint64_t code = strstr(way->terms, "eventid=") != NULL ? value_of(way->terms, "eventid=")
                                                           : value_of(way->terms, "event=");

    /* The mesh has one cache, which is the last level, whatever its number. */
    return strcmp(fact->kind, way->kind) == 0 && fact->code == code && fact->umask == value_of(way->terms, "umask=") &&
           strstr(way->terms, fact->filter) != NULL &&
           (fact->event == way->event || (way->event == HWC_L4_MISS && fact->documents[0] == '\0'));
}

static bool is_said_for(const struct ctr_uncore_way *way, const char *document)
{
    for (int i = 0; i < FACTS; i++)
        if (says(&facts[i], way) && (document[0] == '\0' || is_word_of(facts[i].documents, document)))
            return true;
    return false;
}

static void every_way_is_in_its_documents(void **state)
{
    (void)state;
    for (const struct ctr_uncore_way *way = ctr_uncore_ways; way->kind != NULL; way++) {
        unsigned families = 0;
        for (const struct ctr_family *family = ctr_families; family->name != NULL; family++)
            if (way->families[0] != '\0' && ctr_is_uncore_way_of(way, family->name)) {
                families++;
                if (!is_said_for(way, family->document))
                    fail_msg("%s does not say %s/%s/", family->document, way->kind, way->terms);
            }
        assert_true(way->families[0] != '\0' ? families > 0 : is_said_for(way, ""));
    }
}

static bool has_way(const struct fact *fact, const char *family)
{
    for (const struct ctr_uncore_way *way = ctr_uncore_ways; way->kind != NULL; way++)
        if (says(fact, way) && ctr_is_uncore_way_of(way, family))
            return true;
    return false;
}

static void every_documented_event_is_a_way(void **state)
{
    (void)state;
    for (int i = 0; i < FACTS; i++) {
        unsigned families = 0;
        for (const struct ctr_family *family = ctr_families; family->name != NULL; family++)
            if (is_word_of(facts[i].documents, family->document)) {
                families++;
                if (!has_way(&facts[i], family->name))
                    fail_msg("%s: %s is not in the table", family->name, facts[i].name);
            }
        assert_true(families > 0 || (facts[i].documents[0] == '\0' && has_way(&facts[i], NULL)));
    }
}

static void a_way_of_some_families_is_none_of_others(void **state)
{
    const struct ctr_uncore_way way = {"hsw_ep skx", "uncore_cha", HWC_L3_MISS, "event=1", ""};

    (void)state;
    assert_true(ctr_is_uncore_way_of(&way, "skx"));
    assert_true(ctr_is_uncore_way_of(&way, "hsw_ep"));
    assert_false(ctr_is_uncore_way_of(&way, "hsw"));
    assert_false(ctr_is_uncore_way_of(&way, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_is_in_its_documents),
        cmocka_unit_test(every_documented_event_is_a_way),
        cmocka_unit_test(a_way_of_some_families_is_none_of_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
