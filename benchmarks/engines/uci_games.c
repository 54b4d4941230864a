/* The least that a program for engine matches can do: passes moves between UCI engines, two games at once, and prints
   the plies a second. What it checks is nothing, what it keeps is nothing.

   cc -O2 -pthread -o uci_games uci_games.c; ./uci_games stockfish 40

   Each engine thinks with `go nodes 1`; a game ends when one has no move, or after 120 plies. */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { AT_ONCE = 2, PLIES = 120, LINE = 8192 };

struct engine {
    FILE *in, *out;
};

static const char *program;
static int games;
static long played;

static struct engine start(void)
{
    int in[2], out[2];
    if (pipe(in) || pipe(out))
        exit(1);
    if (fork() == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        for (int other = 3; other < 64; other++)
            close(other);
        execlp(program, program, (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    return (struct engine){fdopen(in[1], "w"), fdopen(out[0], "r")};
}

/* Say `words`, and read until a line begins with `wanted`. */
static void ask(struct engine engine, const char *words, const char *wanted, char *line)
{
    fprintf(engine.in, "%s\n", words);
    fflush(engine.in);
    do
        if (!fgets(line, LINE, engine.out))
            exit(1);
    while (strncmp(line, wanted, strlen(wanted)));
}

static void *play(void *unused)
{
    struct engine engines[2] = {start(), start()};
    char line[LINE], go[LINE], moves[LINE];
    for (int side = 0; side < 2; side++)
        ask(engines[side], "uci", "uciok", line);
    for (int game = 0; game < games; game++) {
        moves[0] = '\0';
        for (int side = 0; side < 2; side++)
            ask(engines[side], "ucinewgame\nisready", "readyok", line);
        for (int ply = 0; ply < PLIES; ply++) {
            char move[8];
            snprintf(go, sizeof go, "position startpos moves%s\ngo nodes 1", moves);
            ask(engines[ply % 2], go, "bestmove", line);
            if (sscanf(line, "bestmove %7s", move) != 1 || move[0] == '(')
                break;
            strcat(strcat(moves, " "), move);
            __sync_fetch_and_add(&played, 1);
        }
    }
    return unused;
}

int main(int count, char **words)
{
    if (count != 3)
        return fprintf(stderr, "usage: uci_games ENGINE GAMES\n"), 2;
    program = words[1];
    games = atoi(words[2]) / AT_ONCE;
    pthread_t threads[AT_ONCE];
    struct timespec began, ended;
    clock_gettime(CLOCK_MONOTONIC, &began);
    for (int each = 0; each < AT_ONCE; each++)
        pthread_create(&threads[each], NULL, play, NULL);
    for (int each = 0; each < AT_ONCE; each++)
        pthread_join(threads[each], NULL);
    clock_gettime(CLOCK_MONOTONIC, &ended);
    double seconds = (double)(ended.tv_sec - began.tv_sec) + (double)(ended.tv_nsec - began.tv_nsec) / 1e9;
    printf("%.0f\n", (double)played / seconds);
    return 0;
}
