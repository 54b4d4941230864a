/* Stands between a program for engine matches and a UCI engine: passes all lines on, and writes down when they passed.

   cc -O2 -o uci_stopwatch uci_stopwatch.c; ./uci_stopwatch FOLDER stockfish

   A file of FOLDER gets a line for each `go` from above ("g NANOSECONDS MOVES") and each `bestmove` from below ("b
   NANOSECONDS MOVES"), with the number of moves of the last `position`, by the machine's monotonic clock. */

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SIZE = 1 << 16 };

struct side {
    int from, to;
    char text[SIZE];
    size_t size;
};

static FILE *file;
static int moves;

static void note(char what)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    fprintf(file, "%c %lld %d\n", what, (long long)now.tv_sec * 1000000000LL + now.tv_nsec, moves);
    fflush(file);
}

static void write_all(int to, const char *text, size_t size)
{
    while (size > 0) {
        ssize_t done = write(to, text, size);
        if (done <= 0)
            exit(1);
        text += done;
        size -= (size_t)done;
    }
}

static void look(const char *line, size_t size)
{
    if (size > 9 && !memcmp(line, "position ", 9)) {
        moves = 0;
        for (size_t at = 0; at + 1 < size; at++)
            moves += line[at] == ' ' && line[at + 1] >= 'a' && line[at + 1] <= 'h';
    } else if (size > 2 && !memcmp(line, "go", 2)) {
        note('g');
    }
}

/* Pass on the whole lines that have come; 0 at the end of the input. */
static int pass(struct side *side, int down)
{
    ssize_t got = read(side->from, side->text + side->size, SIZE - side->size);
    if (got <= 0)
        return 0;
    side->size += (size_t)got;
    char *begin = side->text, *end = side->text + side->size, *stop;
    while ((stop = memchr(begin, '\n', (size_t)(end - begin)))) {
        size_t size = (size_t)(stop - begin) + 1;
        if (down)
            look(begin, size); /* the engine's time begins when the line is here */
        else if (size > 9 && !memcmp(begin, "bestmove ", 9))
            note('b');
        write_all(side->to, begin, size);
        begin = stop + 1;
    }
    side->size = (size_t)(end - begin);
    memmove(side->text, begin, side->size);
    return 1;
}

int main(int count, char **words)
{
    if (count < 3)
        return fprintf(stderr, "usage: uci_stopwatch FOLDER ENGINE [ARGUMENT...]\n"), 2;
    char name[4096];
    snprintf(name, sizeof name, "%s/%d", words[1], (int)getpid());
    if (!(file = fopen(name, "a")))
        return perror(name), 1;
    int in[2], out[2];
    if (pipe(in) || pipe(out))
        return perror("pipe"), 1;
    if (fork() == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        close(in[0]), close(in[1]), close(out[0]), close(out[1]);
        execvp(words[2], words + 2);
        _exit(127);
    }
    close(in[0]), close(out[1]);
    static struct side down, up;
    down.from = 0, down.to = in[1], up.from = out[0], up.to = 1;
    struct pollfd both[2] = {{down.from, POLLIN, 0}, {up.from, POLLIN, 0}};
    while (poll(both, 2, -1) > 0) {
        if (both[1].revents && !pass(&up, 0))
            break;
        if (both[0].revents && !pass(&down, 1))
            break;
    }
    return 0;
}
