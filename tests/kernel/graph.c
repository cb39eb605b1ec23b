/* Random programs of collectives, exchanges, all-to-alls, signals, events and waits, on the machine and on a naive model
 * that sweeps over all ranks until nothing changes: the same ranks must finish, and the others must
 * stand at the same instruction, under every schedule and both kinds of contexts. */
#include "base/hash.h"
#include "kernel.h"

#include "harness.h"

enum { RANKS = 3, STREAMS = 2, EVENTS = 2, STEPS = 8, PARTS = 4, PROGRAMS = 400 };

enum verb { LAUNCH, RECORD, WAIT, SYNC, DELAY, VERBS };

enum role { COLLECTIVE, SENDS, RECEIVES, SIGNALS, WAITS };

struct share {
    enum role role;
    int peer; /* not of a collective */
};

struct instruction {
    enum verb verb;
    int stream, event;
    bool spread; /* the parts, without those of a rank with itself, are one all-to-all */
    int parts;
    struct share part[PARTS];
};

static struct instruction program[RANKS][STEPS];

static void add_part(struct instruction *in, enum role role, int peer)
{
    in->part[in->parts++] = (struct share){ role, peer };
}

/* A ring of sends or of signals, with the collective or without; or an all-to-all. */
static void add_parts(struct instruction *in, int r, int exchange)
{
    int next = (r + 1) % RANKS, before = (r + RANKS - 1) % RANKS;
    in->spread = exchange == 6;
    if (exchange == 1 || exchange == 2 || in->spread) {
        add_part(in, SENDS, next);
        add_part(in, RECEIVES, before);
    }
    if (in->spread) {
        add_part(in, SENDS, before);
        add_part(in, RECEIVES, next);
    }
    if (exchange == 4 || exchange == 5) {
        add_part(in, SIGNALS, next);
        add_part(in, WAITS, before);
    }
    if (exchange == 0 || exchange == 2 || exchange == 3 || exchange == 5)
        add_part(in, COLLECTIVE, -1);
}

/* Every rank gets the same launches in the same order, so that most programs go far; then some are
 * dropped, swapped or put on another stream. */
static void make_program(struct ncs_random *random)
{
    memset(program, 0, sizeof program);
    for (int i = 0; i < STEPS; i++) {
        enum verb verb = (enum verb)ncs_random_below(random, VERBS);
        int exchange = (int)ncs_random_below(random, 7);
        for (int r = 0; r < RANKS; r++) {
            struct instruction *in = &program[r][i];
            in->verb = verb;
            in->stream = (int)ncs_random_below(random, STREAMS);
            in->event = (int)ncs_random_below(random, EVENTS);
            if (verb != LAUNCH)
                continue;
            add_parts(in, r, exchange);
        }
    }
    uint64_t mischief = ncs_random_below(random, 8);
    for (uint64_t k = 0; k < mischief; k++) {
        int r = (int)ncs_random_below(random, RANKS);
        int i = (int)ncs_random_below(random, STEPS - 1);
        struct instruction one = program[r][i];
        switch (ncs_random_below(random, 3)) {
        case 0: program[r][i].verb = SYNC; break;
        case 1:
            program[r][i] = program[r][i + 1];
            program[r][i + 1] = one;
            break;
        default:
            if (one.verb == LAUNCH && one.parts > 1) {
                program[r][i].parts--;
                program[r][i].spread = false; /* what is left meets the others' all-to-all */
            }
            break;
        }
    }
}

/* ---- the model ---- */

enum { NODES = RANKS * STEPS };

struct node { /* what one instruction put on a stream */
    int rank, step;
    int dep[STREAMS + 2], deps;
    bool done, part_done[PARTS];
    int slot[PARTS]; /* how many of this kind the rank had issued before */
};

static struct {
    struct node node[NODES];
    int nodes;
    int tail[RANKS][STREAMS], event[RANKS][EVENTS], last[RANKS];
    int at[RANKS];                                  /* instruction that the host is at */
    int announced[RANKS];                           /* launches up to here have entered */
    bool entered[RANKS];                            /* a collective */
    bool one_sided[RANKS];                          /* the same of signals and waits */
    int signals[RANKS][RANKS], taken[RANKS][RANKS]; /* by receiver and sender */
    bool sent[RANKS][RANKS], received[RANKS][RANKS];
    int collectives[RANKS], sends[RANKS][RANKS], recvs[RANKS][RANKS];
} model;

static bool is_done(int node)
{
    return node < 0 || model.node[node].done;
}

static void depend(struct node *n, int on)
{
    if (on >= 0)
        n->dep[n->deps++] = on;
}

static int put(int rank, int stream)
{
    struct node *n = &model.node[model.nodes];
    *n = (struct node){ .rank = rank, .step = model.at[rank] };
    depend(n, model.tail[rank][stream]);
    model.tail[rank][stream] = model.nodes;
    return model.nodes++;
}

static bool has_met(int r, const struct share *s)
{
    for (int k = 0; k < RANKS; k++)
        if ((s->role == COLLECTIVE && !model.entered[k]) || (s->role >= SIGNALS && !model.one_sided[k]))
            return false;
    return s->role == SENDS ? model.received[s->peer][r] : s->role == RECEIVES ? model.sent[s->peer][r] : true;
}

static bool in_contact(int r, const struct instruction *in)
{
    for (int p = 0; p < in->parts; p++)
        if (!has_met(r, &in->part[p]))
            return false;
    return true;
}

static void enter(int r, const struct instruction *in)
{
    for (int p = 0; p < in->parts; p++) {
        const struct share *s = &in->part[p];
        if (s->role == COLLECTIVE)
            model.entered[r] = true;
        else if (s->role == SENDS)
            model.sent[r][s->peer] = true;
        else if (s->role == RECEIVES)
            model.received[r][s->peer] = true;
        else
            model.one_sided[r] = true;
    }
}

static void launch(int r, const struct instruction *in)
{
    int at = put(r, in->stream);
    struct node *n = &model.node[at];
    depend(n, model.last[r]);
    model.last[r] = at;
    for (int p = 0; p < in->parts; p++) {
        const struct share *s = &in->part[p];
        n->slot[p] = s->role == COLLECTIVE ? model.collectives[r]++
                     : s->role == SENDS    ? model.sends[r][s->peer]++
                     : s->role == RECEIVES ? model.recvs[r][s->peer]++
                                           : 0;
    }
}

static bool host_step(int r)
{
    if (model.at[r] == STEPS)
        return false;
    const struct instruction *in = &program[r][model.at[r]];
    switch (in->verb) {
    case LAUNCH:
        if (model.announced[r] <= model.at[r]) {
            model.announced[r] = model.at[r] + 1;
            enter(r, in);
            return true;
        }
        if (!in_contact(r, in))
            return false;
        launch(r, in);
        break;
    case RECORD: model.event[r][in->event] = put(r, in->stream); break;
    case WAIT:
        if (!is_done(model.event[r][in->event])) {
            int at = put(r, in->stream);
            depend(&model.node[at], model.event[r][in->event]);
        }
        break;
    case DELAY: put(r, in->stream); break;
    default:
        if (!is_done(model.tail[r][in->stream]))
            return false;
        break;
    }
    model.at[r]++;
    return true;
}

/* One-sided parts go first, one by one, then the collective, then all others at once. */
static int turn(const struct share *s)
{
    return s->role >= SIGNALS ? 0 : s->role == COLLECTIVE ? 1 : 2;
}

/* A part is at its slot when its node's edges are done and what goes before it in its launch. */
static bool at_slot(const struct node *n, int part)
{
    for (int d = 0; d < n->deps; d++)
        if (!is_done(n->dep[d]))
            return false;
    const struct instruction *in = &program[n->rank][n->step];
    int mine = turn(&in->part[part]);
    for (int p = 0; p < in->parts; p++) {
        int other = turn(&in->part[p]);
        if ((other < mine || (other == mine && mine == 0 && p < part)) && !n->part_done[p])
            return false;
    }
    return true;
}

static bool somebody(int rank, enum role role, int peer, int slot)
{
    for (int i = 0; i < model.nodes; i++) {
        const struct node *n = &model.node[i];
        const struct instruction *in = &program[n->rank][n->step];
        for (int p = 0; n->rank == rank && in->verb == LAUNCH && p < in->parts; p++)
            if (in->part[p].role == role && in->part[p].peer == peer && n->slot[p] == slot)
                return n->part_done[p] || at_slot(n, p);
    }
    return false;
}

/* The part can end now; signals are counted and taken. */
static bool meets(const struct node *n, int part)
{
    const struct share *s = &program[n->rank][n->step].part[part];
    switch (s->role) {
    case SIGNALS: model.signals[s->peer][n->rank]++; return true;
    case WAITS:
        if (model.signals[n->rank][s->peer] == model.taken[n->rank][s->peer])
            return false;
        model.taken[n->rank][s->peer]++;
        return true;
    case COLLECTIVE:
        for (int r = 0; r < RANKS; r++)
            if (!somebody(r, COLLECTIVE, -1, n->slot[part]))
                return false;
        return true;
    default: return somebody(s->peer, s->role == SENDS ? RECEIVES : SENDS, n->rank, n->slot[part]);
    }
}

static bool device_step(struct node *n)
{
    const struct instruction *in = &program[n->rank][n->step];
    bool changed = false, all = true;
    if (n->done)
        return false;
    for (int p = 0; in->verb == LAUNCH && p < in->parts; p++) {
        if (!n->part_done[p] && at_slot(n, p) && meets(n, p))
            changed = n->part_done[p] = true;
        all &= n->part_done[p];
    }
    for (int d = 0; d < n->deps; d++)
        all &= is_done(n->dep[d]);
    n->done = all;
    return changed || all;
}

static void solve(void)
{
    memset(&model, 0, sizeof model);
    for (int r = 0; r < RANKS; r++) {
        model.last[r] = -1;
        for (int s = 0; s < STREAMS; s++)
            model.tail[r][s] = -1;
        for (int e = 0; e < EVENTS; e++)
            model.event[r][e] = -1;
    }
    bool changed = true;
    while (changed) {
        changed = false;
        for (int r = 0; r < RANKS; r++)
            changed |= host_step(r);
        for (int i = 0; i < model.nodes; i++)
            changed |= device_step(&model.node[i]);
    }
}

/* ---- the machine ---- */

static int machine_at[RANKS];

static void issue(struct kernel_rank *r, const struct share *s, cudaStream_t stream)
{
    ncclWaitSignalDesc_t d = { .opCnt = 1, .peer = s->peer };
    switch (s->role) {
    case COLLECTIVE: OK(api->ncclAllReduce(r->x, r->x, 4, ncclFloat32, ncclMax, r->world, stream)); break;
    case SENDS: OK(api->ncclSend(r->x + 4, 4, ncclFloat32, s->peer, r->world, stream)); break;
    case RECEIVES: OK(api->ncclRecv(r->x + 8, 4, ncclFloat32, s->peer, r->world, stream)); break;
    case SIGNALS: OK(api->ncclSignal(s->peer, 0, 0, 0, r->world, stream)); break;
    case WAITS: OK(api->ncclWaitSignal(1, &d, r->world, stream)); break;
    }
}

/* The blocks overlap: it is who waits for whom that is looked at here. */
static void issue_all(struct kernel_rank *r, const struct instruction *in, cudaStream_t stream)
{
    if (in->spread)
        OK(api->ncclAlltoAll(r->x, r->x + 4, 4, ncclFloat32, r->world, stream));
    for (int p = 0; p < in->parts && !in->spread; p++)
        issue(r, &in->part[p], stream);
}

static void follow(struct kernel_rank *r)
{
    cudaStream_t stream[STREAMS];
    cudaEvent_t event[EVENTS];
    for (int i = 0; i < STREAMS; i++)
        OK(api->cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking));
    for (int i = 0; i < EVENTS; i++)
        OK(api->cudaEventCreate(&event[i]));
    for (int i = 0; i < STEPS; i++) {
        const struct instruction *in = &program[r->rank][i];
        machine_at[r->rank] = i;
        if (machine->cancelled())
            return;
        switch (in->verb) {
        case LAUNCH:
            OK(api->ncclGroupStart());
            issue_all(r, in, stream[in->stream]);
            OK(api->ncclGroupEnd());
            break;
        case RECORD: OK(api->cudaEventRecord(event[in->event], stream[in->stream])); break;
        case WAIT: OK(api->cudaStreamWaitEvent(stream[in->stream], event[in->event], 0)); break;
        case DELAY: OK(api->ncsDelay(stream[in->stream], 0.001)); break;
        default: OK(api->cudaStreamSynchronize(stream[in->stream])); break;
        }
        if (machine->cancelled())
            return;
    }
    machine_at[r->rank] = STEPS;
}

static void compare(uint64_t number, const struct ncs_machine_options *options)
{
    kernel_open(options);
    enum ncs_stop stop = kernel_run(RANKS, follow);
    bool all = true;
    for (int r = 0; r < RANKS; r++) {
        ck_assert_msg(machine_at[r] == model.at[r], "program %d, seed %d: rank %d is at step %d, in the model at %d", (int)number,
                      (int)options->seed, r, machine_at[r], model.at[r]);
        all &= model.at[r] == STEPS;
    }
    ck_assert_int_eq(stop, all ? NCS_STOP_DONE : NCS_STOP_QUIET);
    kernel_end();
}

START_TEST(machine_and_model_agree)
{
    int hangs = 0;
    for (uint64_t number = 0; number < PROGRAMS; number++) {
        struct ncs_random random = { number };
        make_program(&random);
        solve();
        for (int r = 0; r < RANKS; r++)
            if (model.at[r] < STEPS) {
                hangs++;
                break;
            }
        for (uint64_t seed = 0; seed < 4; seed++)
            compare(number, &(struct ncs_machine_options){ .seeded = seed > 0, .seed = seed });
        if (number % 8 == 0)
            compare(number, &(struct ncs_machine_options){ .own_threads = true });
    }
    /* The programs must be worth it: some hang, some do not. */
    ck_assert_int_gt(hangs, PROGRAMS / 10);
    ck_assert_int_lt(hangs, PROGRAMS * 9 / 10);
}
END_TEST

NCS_TEST_MAIN("kernel graph", machine_and_model_agree)
