/* A process of a job, as a launcher starts it: the leader sends each member texts of several lengths, which come back, and the
 * members get the exit status. usage: job [PATIENCE in s [HOST:PORT]]. Each process says "ok NUMBER" if all was as it should be. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "team/team.h"

enum { STATUS = 7 };
static const size_t lengths[] = { 0, 1, 15, 16, 17, 5 << 20 };
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int came, wrong, lost;
    struct ncs_team *team;
} job = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

static void leader_heard(void *arg, int from, const struct ncs_message *m)
{
    const unsigned char *bytes = m->body;
    bool right = m->kind == 2 && m->line < LENGTHS && m->bytes == lengths[m->line];
    for (size_t i = 0; right && i < m->bytes; i++)
        right = bytes[i] == (unsigned char)(from + (int)i);
    (void)arg;
    pthread_mutex_lock(&job.lock);
    job.came++;
    job.wrong += !right;
    pthread_cond_signal(&job.changed);
    pthread_mutex_unlock(&job.lock);
}

static void leader_lost(void *arg, int peer, const char *why)
{
    (void)arg;
    fprintf(stderr, "lost %d: %s\n", peer, why);
    pthread_mutex_lock(&job.lock);
    job.lost++;
    pthread_cond_signal(&job.changed);
    pthread_mutex_unlock(&job.lock);
}

static void member_heard(void *arg, int from, const struct ncs_message *m)
{
    (void)arg;
    ncs_team_send(job.team, from, 2, m->line, m->body, m->bytes / 2, (const char *)m->body + m->bytes / 2,
                  m->bytes - m->bytes / 2);
}

static int lead(int size)
{
    struct ncs_error err;
    int wrong = 0;
    unsigned char *bytes = malloc(lengths[LENGTHS - 1]);
    if (!ncs_team_listen(job.team, leader_heard, leader_lost, NULL, &err))
        return 1;
    for (int i = 1; i < size; i++) {
        const struct ncs_peer *peer = ncs_team_peer(job.team, i);
        wrong += peer->hello_bytes != 5 || memcmp(peer->hello, "hello", 5) != 0 || peer->pid < 1 || !peer->host[0] ||
                 peer->local < 0 || peer->local >= peer->locals;
        for (size_t k = 0; k < lengths[LENGTHS - 1]; k++)
            bytes[k] = (unsigned char)(i + (int)k);
        for (uint32_t k = 0; k < LENGTHS; k++)
            if (!ncs_team_send(job.team, i, 1, k, NULL, 0, bytes, lengths[k]))
                wrong++;
    }
    pthread_mutex_lock(&job.lock);
    while (job.came < (size - 1) * LENGTHS && !job.lost)
        pthread_cond_wait(&job.changed, &job.lock);
    pthread_mutex_unlock(&job.lock);
    free(bytes);
    ncs_team_end(job.team, STATUS);
    return wrong || job.wrong || job.lost;
}

int main(int argc, char **argv)
{
    struct ncs_launcher launcher;
    struct ncs_error err = { .status = NCS_OK };
    if (!ncs_launcher_find(&launcher)) {
        printf("no launcher\n");
        return 3;
    }
    struct ncs_team_options options = { .launcher = &launcher,
                                        .hello = "hello",
                                        .hello_bytes = 5,
                                        .patience = (argc > 1 ? atoi(argv[1]) : 60) * (int64_t)1000000000,
                                        .rendezvous = argc > 2 ? argv[2] : NULL };
    job.team = launcher.number == 0 ? ncs_team_gather(&options, &err) : ncs_team_join(&options, &err);
    if (!job.team) {
        printf("%d: %s (%s)\n", launcher.number, err.text, err.hint);
        return 2;
    }
    bool ok;
    if (launcher.number == 0) {
        ok = lead(launcher.processes) == 0;
    } else {
        ok = ncs_team_serve(job.team, member_heard, NULL, &err) == STATUS;
        if (!ok)
            printf("%d: %s\n", launcher.number, err.text);
        ncs_team_end(job.team, 0);
    }
    if (ok)
        printf("ok %d\n", launcher.number);
    return !ok;
}
