/* Calls that are made in another process: what arrives there, what comes back, and what is refused. */
#include "harness.h"

#include <string.h>

#include "api/carry.h"
#include "base/mem.h"
#include "driver/far/own.h"

static struct ncs_carry_lates lates = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct ncs_str packed(enum ncs_fn fn, const union ncs_arg *arg)
{
    struct ncs_str request = { 0 };
    ck_assert(ncs_carry_pack(&request, fn, arg, NULL));
    return request;
}

static bool is_taken(struct ncs_carry_call *c, struct ncs_str *request)
{
    bool taken = ncs_carry_take(c, request->text, request->bytes, &lates, NULL);
    ncs_str_free(request);
    return taken;
}

/* The answer to a call that has had this result. */
static const char *answered(const struct ncs_carry_call *c, union ncs_arg result, const union ncs_arg *arg,
                            struct ncs_str *answer)
{
    struct ncs_carry_answer head = { .result = result.i };
    const char *text;
    ncs_str_add_bytes(answer, &head, sizeof head);
    ncs_carry_results(c, result, answer);
    memset(&head, 0, sizeof head);
    ck_assert(ncs_carry_unpack(c->fn, arg, NULL, answer->text, answer->bytes, &head, &text));
    return text;
}

START_TEST(memory_goes_there_and_back)
{
    struct ncs_carry_call c;
    struct ncs_str answer = { 0 };
    int device = 7;
    union ncs_arg arg[] = { { .p = &device } };
    struct ncs_str request = packed(NCS_FN_cudaGetDevice, arg);
    ck_assert(is_taken(&c, &request));
    ck_assert_ptr_ne(c.arg[0].p, &device);
    ck_assert_int_eq(*(const int *)c.arg[0].p, 0);
    *(int *)c.arg[0].p = 3;
    answered(&c, (union ncs_arg){ .i = 0 }, arg, &answer);
    ck_assert_int_eq(device, 3);
    *(int *)c.arg[0].p = 4;
    ncs_str_clear(&answer);
    answered(&c, (union ncs_arg){ .i = cudaErrorInvalidValue }, arg, &answer); /* it has written nothing */
    ck_assert_int_eq(device, 3);
    ncs_carry_end(&c);
    ncs_str_free(&answer);
}
END_TEST

START_TEST(texts_of_a_configuration_go_along)
{
    struct ncs_carry_call c;
    ncclComm_t comm = NULL;
    ncclConfig_t config = { .size = sizeof config, .netName = "net", .commName = "mine" };
    union ncs_arg arg[] = { { .p = NULL }, { .i = 1 }, { .i = 2 }, { .p = &comm }, { .p = &config } };
    struct ncs_str request = packed(NCS_FN_ncclCommSplit, arg);
    ck_assert(is_taken(&c, &request));
    const ncclConfig_t *there = c.arg[4].p;
    ck_assert_ptr_ne(there, &config);
    ck_assert_str_eq(there->netName, "net");
    ck_assert_ptr_ne(there->netName, config.netName);
    ck_assert_str_eq(there->commName, "mine");
    void *name = (void *)there->commName;
    ncs_carry_end(&c);
    ncs_carry_forget_late(&lates);
    ncs_free((void *)c.arg[3].p); /* cells and names stay as long as the process: a communicator may still use them */
    ncs_free(name);
}
END_TEST

static void keep(void *arg, uint64_t there, const void *handle)
{
    ck_assert(there == (uintptr_t)arg);
    *(const void **)arg = handle;
}

START_TEST(a_handle_comes_late)
{
    struct ncs_carry_call c;
    ncclComm_t comm = NULL;
    union ncs_arg arg[] = { { .p = NULL }, { .i = 1 }, { .i = 2 }, { .p = &comm }, { .p = NULL } };
    struct ncs_str request = packed(NCS_FN_ncclCommSplit, arg);
    ck_assert(is_taken(&c, &request));
    ncs_carry_end(&c);
    ncs_carry_tell_late(&lates, keep, &comm);
    ck_assert_ptr_null(comm);
    *(const void **)c.arg[3].p = &lates;
    ncs_carry_tell_late(&lates, keep, &comm);
    ck_assert_ptr_eq((void *)comm, &lates);
    comm = NULL;
    ncs_carry_tell_late(&lates, keep, &comm); /* once only */
    ck_assert_ptr_null(comm);
    ncs_free((void *)c.arg[3].p);
}
END_TEST

START_TEST(a_text_comes_back)
{
    struct ncs_carry_call c;
    struct ncs_str answer = { 0 };
    union ncs_arg arg[] = { { .i = 1 } };
    struct ncs_str request = packed(NCS_FN_cudaGetErrorString, arg);
    ck_assert(is_taken(&c, &request));
    ck_assert_str_eq(answered(&c, (union ncs_arg){ .p = "invalid" }, arg, &answer), "invalid");
    ncs_carry_end(&c);
    ncs_str_free(&answer);
}
END_TEST

/* ---- a whole call ---- */

/* The maker 1 says "invalid" and code 2 to everything; another one is gone. */
static bool asks(int maker, enum ncs_fn fn, const union ncs_arg *arg, struct ncs_str *message)
{
    struct ncs_carry_call c;
    struct ncs_str answer = { 0 };
    bool is_text = ncs_fn_info[fn].result == NCS_RESULT_TEXT;
    ck_assert(is_taken(&c, message));
    answered(&c, is_text ? (union ncs_arg){ .p = "invalid" } : (union ncs_arg){ .i = 2 }, arg, &answer);
    ncs_carry_end(&c);
    *message = answer;
    return maker == 1;
}

START_TEST(a_call_is_made_elsewhere)
{
    struct ncs_str message = { 0 };
    union ncs_arg code[] = { { .i = 1 } }, pool[] = { { .p = NULL }, { .i = 0 }, { .i = 8 }, { .p = NULL } };
    const char *text = ncs_carry_call(NCS_FN_cudaGetErrorString, code, 1, NULL, &message, asks).p;
    ck_assert_str_eq(text, "invalid");
    ck_assert_ptr_eq(ncs_carry_call(NCS_FN_cudaGetErrorString, code, 1, NULL, &message, asks).p, text); /* it stays */
    ck_assert_str_eq(ncs_carry_call(NCS_FN_cudaGetErrorString, code, 2, NULL, &message, asks).p, "");
    ck_assert_int_eq(ncs_carry_call(NCS_FN_cudaMemset, pool, 1, NULL, &message, asks).i, 2);
    ck_assert_int_eq(ncs_carry_call(NCS_FN_cudaMemset, pool, 2, NULL, &message, asks).i, cudaErrorUnknown);
    ncs_str_free(&message);
}
END_TEST

static void runs_nothing(void *arg)
{
    (void)arg;
}

/* A function of a call that fails is forgotten. */
START_TEST(a_function_goes_with_its_call)
{
    struct ncs_str message = { 0 };
    struct ncs_carry_function f;
    union ncs_arg arg[] = { { .p = NULL }, { .f = (void (*)(void))runs_nothing }, { .p = NULL } }, noted[3];
    memcpy(noted, arg, sizeof arg);
    uint64_t number = ncs_carry_note_function(1, NCS_FN_cudaLaunchHostFunc, noted);
    ck_assert_int_eq(ncs_carry_call(NCS_FN_cudaLaunchHostFunc, arg, 1, NULL, &message, asks).i, 2);
    ck_assert(ncs_carry_take_function(1, number, false, &f));
    ck_assert(!ncs_carry_take_function(-1, number + 1, false, &f));
    ncs_str_free(&message);
}
END_TEST

/* ---- what a peer must not say ---- */

/* A request with these items. */
static struct ncs_str said(enum ncs_fn fn, const uint64_t *arg, int args, const struct ncs_carry_item *item, int items)
{
    static const char bytes[4096];
    struct ncs_str request = { 0 };
    struct ncs_carry_request head = { .fn = (int32_t)fn };
    memcpy(head.arg, arg, (size_t)args * sizeof *arg);
    ncs_str_add_bytes(&request, &head, sizeof head);
    for (int i = 0; i < items; i++)
        ncs_carry_add_item(&request, &item[i], bytes);
    return request;
}

static void refused(enum ncs_fn fn, const uint64_t *arg, int args, const struct ncs_carry_item *item, int items)
{
    struct ncs_carry_call c;
    struct ncs_str request = said(fn, arg, args, item, items);
    ck_assert(!is_taken(&c, &request));
    ncs_carry_end(&c);
}

START_TEST(an_address_of_the_peer_is_refused)
{
    char here[64];
    const uint64_t device[] = { (uintptr_t)here };
    refused(NCS_FN_cudaGetDevice, device, 1, NULL, 0);
    const uint64_t text[] = { (uintptr_t)here, (uintptr_t)here }; /* device, PCI bus id */
    refused(NCS_FN_cudaDeviceGetByPCIBusId, text, 2, &(struct ncs_carry_item){ .at = 0, .back = 1, .room = 4 }, 1);
}
END_TEST

START_TEST(an_item_must_fit_its_argument)
{
    const uint64_t device[] = { 1 }, copy[] = { 16, 32, 1024, cudaMemcpyDeviceToHost };
    const struct ncs_carry_item small = { .at = 0, .back = 1, .room = 2 };
    const struct ncs_carry_item twice[] = { { .at = 0, .back = 1, .room = 4 }, { .at = 0, .back = 1, .room = 4 } };
    const struct ncs_carry_item large = { .at = 0, .back = 1, .room = NCS_CARRY_MOST + 1 };
    const struct ncs_carry_item number = { .at = 2, .bytes = 8, .room = 2048 };
    const struct ncs_carry_item name = { .at = NCS_CARRY_COMM_NAME, .bytes = 8, .room = 8 };
    const struct ncs_carry_item short_copy = { .at = 0, .back = 1, .room = 1023 };
    refused(NCS_FN_cudaGetDevice, device, 1, &small, 1);
    refused(NCS_FN_cudaGetDevice, device, 1, twice, 2);
    refused(NCS_FN_cudaGetDevice, device, 1, &large, 1);
    refused(NCS_FN_cudaMemcpy, copy, 4, &number, 1);
    refused(NCS_FN_cudaMemcpy, copy, 4, &short_copy, 1);
    refused(NCS_FN_cudaGetDevice, device, 1, &name, 1);
    refused(NCS_FN_COUNT, device, 1, NULL, 0);
    refused((enum ncs_fn) - 1, device, 1, NULL, 0);
}
END_TEST

/* No pointer of a configuration comes from the peer. */
START_TEST(texts_of_a_configuration_are_never_addresses)
{
    struct ncs_carry_call c;
    struct ncs_str request = { 0 };
    char here[8];
    ncclConfig_t config = { .size = sizeof config, .netName = here, .commName = here };
    struct ncs_carry_request head = { .fn = NCS_FN_ncclCommSplit, .arg = { 0, 1, 2, 0, 1 } };
    ncs_str_add_bytes(&request, &head, sizeof head);
    ncs_carry_add_item(&request, &(struct ncs_carry_item){ .at = 4, .bytes = sizeof config, .room = sizeof config }, &config);
    ck_assert(is_taken(&c, &request));
    ck_assert_ptr_null(((const ncclConfig_t *)c.arg[4].p)->netName);
    ck_assert_ptr_null(((const ncclConfig_t *)c.arg[4].p)->commName);
    ncs_carry_end(&c);
}
END_TEST

/* ---- functions ---- */

static int ran;

static void run(void *data)
{
    ran += *(const int *)data;
}

START_TEST(a_function_is_a_number_and_runs_once)
{
    int by = 5;
    struct ncs_carry_function f;
    union ncs_arg arg[] = { { .p = NULL }, { .f = (void (*)(void))run }, { .p = &by } };
    uint64_t number = ncs_carry_note_function(2, NCS_FN_cudaLaunchHostFunc, arg);
    ck_assert(number != 0);
    ck_assert(arg[1].u == number);
    ck_assert(arg[2].u == 0);
    ck_assert(!ncs_carry_take_function(1, number, false, &f)); /* another process's */
    ck_assert(!ncs_carry_take_function(2, number + 1, false, &f));
    ck_assert(!ncs_carry_take_function(2, (uintptr_t)run, false, &f));
    ck_assert(ncs_carry_take_function(2, number, true, &f)); /* of a graph */
    ck_assert(ncs_carry_take_function(2, number, false, &f));
    ncs_carry_run_function(&f, NULL, 0);
    ck_assert_int_eq(ran, 5);
    ck_assert(!ncs_carry_take_function(2, number, false, &f));
}
END_TEST

/* ---- what a member of a team has given out ---- */

static char memory[100];

static bool is_allowed(enum ncs_fn fn, const uint64_t *arg, int args)
{
    struct ncs_carry_call c;
    struct ncs_str request = said(fn, arg, args, NULL, 0);
    bool taken = ncs_carry_take(&c, request.text, request.bytes, &lates, own_allows);
    ncs_carry_end(&c);
    ncs_str_free(&request);
    return taken;
}

static void made(enum ncs_fn fn, void *result, uint64_t size)
{
    struct ncs_carry_call c;
    void *out = NULL;
    union ncs_arg arg[] = { { .p = &out }, { .u = size } };
    struct ncs_str request = packed(fn, arg);
    ck_assert(is_taken(&c, &request));
    *(void **)c.arg[0].p = result;
    own_note_results(&c);
    ncs_carry_end(&c);
}

START_TEST(only_what_was_given_out_is_used)
{
    const struct ncs_api api = { 0 };
    uint64_t at = (uintptr_t)memory;
    own_open(&api);
    ck_assert(!is_allowed(NCS_FN_cudaMemset, (uint64_t[]){ at, 0, 100 }, 3));
    made(NCS_FN_cudaMalloc, memory, sizeof memory);
    ck_assert(is_allowed(NCS_FN_cudaMemset, (uint64_t[]){ at, 0, 100 }, 3));
    ck_assert(is_allowed(NCS_FN_cudaMemset, (uint64_t[]){ at + 99, 0, 1 }, 3));
    ck_assert(is_allowed(NCS_FN_cudaMemset, (uint64_t[]){ at + 100, 0, 0 }, 3));
    ck_assert(!is_allowed(NCS_FN_cudaMemset, (uint64_t[]){ at, 0, 101 }, 3));
    ck_assert(!is_allowed(NCS_FN_cudaMemset, (uint64_t[]){ at + 99, 0, 2 }, 3));
    ck_assert(!is_allowed(NCS_FN_cudaMemset, (uint64_t[]){ at - 1, 0, 1 }, 3));
    ck_assert(!is_allowed(NCS_FN_cudaMemset, (uint64_t[]){ at + 50, 0, UINT64_MAX }, 3));
    ck_assert(own_has(memory + 10, 90));
    ck_assert(!own_has(memory + 10, 91));
    ck_assert(!is_allowed(NCS_FN_cudaStreamSynchronize, (uint64_t[]){ at }, 1)); /* memory is no handle */
    ck_assert(is_allowed(NCS_FN_cudaStreamSynchronize, (uint64_t[]){ 0 }, 1));
    static char stream[1];
    made(NCS_FN_cudaStreamCreate, stream, 0);
    ck_assert(is_allowed(NCS_FN_cudaStreamSynchronize, (uint64_t[]){ (uintptr_t)stream }, 1));
    ck_assert(!is_allowed(NCS_FN_cudaMemset, (uint64_t[]){ (uintptr_t)stream, 0, 1 }, 3)); /* a handle is no memory */
}
END_TEST

START_TEST(freed_memory_is_not_used)
{
    const struct ncs_api api = { 0 };
    struct ncs_carry_call c;
    uint64_t at = (uintptr_t)memory;
    own_open(&api);
    made(NCS_FN_cudaMalloc, memory, 10);
    made(NCS_FN_cudaMalloc, memory + 10, 20);
    struct ncs_str request = said(NCS_FN_cudaFree, &at, 1, NULL, 0);
    ck_assert(is_taken(&c, &request));
    own_note_results(&c);
    ncs_carry_end(&c);
    ck_assert(!is_allowed(NCS_FN_cudaMemset, (uint64_t[]){ at, 0, 1 }, 3));
    ck_assert(is_allowed(NCS_FN_cudaMemset, (uint64_t[]){ at + 10, 0, 20 }, 3));
}
END_TEST

/* By an account that looks at every byte; ranges that lie in others, and that come again with another size. */
START_TEST(ranges_are_kept_in_any_order)
{
    enum { SPACE = 400 };
    const uint64_t base = 1 << 20;
    uint64_t end[SPACE] = { 0 }, chance = 1;
    for (int step = 0; step < 3000; step++) {
        chance = chance * 6364136223846793005u + 1442695040888963407u;
        uint64_t begin = (chance >> 33) % SPACE, bytes = (chance >> 50) % 60 + 1, address = base + begin;
        struct ncs_carry_call c;
        if (chance >> 63) {
            made(NCS_FN_cudaMalloc, (void *)(uintptr_t)address, bytes);
            end[begin] = address + bytes;
        } else {
            struct ncs_str request = said(NCS_FN_cudaFree, &address, 1, NULL, 0);
            ck_assert(is_taken(&c, &request));
            own_note_results(&c);
            ncs_carry_end(&c);
            end[begin] = 0;
        }
        uint64_t asked = base + (chance >> 40) % SPACE, furthest = 0;
        for (uint64_t i = 0; i <= asked - base; i++)
            furthest = end[i] > furthest ? end[i] : furthest;
        uint64_t behind = furthest > asked ? furthest - asked : 0;
        ck_assert_int_eq(own_has((const void *)(uintptr_t)asked, 1), behind > 0);
        ck_assert(!own_has((const void *)(uintptr_t)asked, behind + 1));
        ck_assert(!behind || own_has((const void *)(uintptr_t)asked, behind));
    }
}
END_TEST

START_TEST(a_call_looks_at_few_ranges)
{
    enum { RANGES = 20000, MOST = 2 * 16 };
    for (uint64_t i = 0; i < RANGES; i++)
        made(NCS_FN_cudaMalloc, (void *)(uintptr_t)(4096 * (i * 7919 % RANGES + 1)), 4096);
    for (uint64_t i = 1; i < RANGES; i += 97) {
        size_t before = own_looks();
        ck_assert(own_has((const void *)(uintptr_t)(4096 * i + 5), 4091));
        ck_assert_uint_le(own_looks() - before, MOST);
        made(NCS_FN_cudaMalloc, (void *)(uintptr_t)(4096 * i), 4096);
        ck_assert_uint_le(own_looks() - before, 4 * MOST);
    }
}
END_TEST

NCS_TEST_MAIN("carry", memory_goes_there_and_back, texts_of_a_configuration_go_along, a_handle_comes_late, a_text_comes_back,
              a_call_is_made_elsewhere, a_function_goes_with_its_call, an_address_of_the_peer_is_refused,
              an_item_must_fit_its_argument, texts_of_a_configuration_are_never_addresses, a_function_is_a_number_and_runs_once,
              only_what_was_given_out_is_used, freed_memory_is_not_used, ranges_are_kept_in_any_order, a_call_looks_at_few_ranges)
