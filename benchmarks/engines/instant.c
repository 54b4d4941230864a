/* A program that answers at once, on stdin and stdout: of the moves that a turn lists it plays one at random.

   cc -O2 -o instant instant.c; palio run breakthrough "exec:./instant" other="exec:./instant"

   It reads no more of JSON than this needs: the protocol's messages, one a line, as `palio join` writes them. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char line[1 << 17];

/* The value after `"key":`, or NULL; `size` gets the length of a string or a number. */
static const char *value_of(const char *key, size_t *size)
{
    char wanted[32];
    snprintf(wanted, sizeof wanted, "\"%s\":", key);
    const char *at = strstr(line, wanted);
    if (!at)
        return NULL;
    at += strlen(wanted);
    at += *at == '"';
    *size = strcspn(at, "\",}");
    return at;
}

/* One of the lists within the list at `at`, each as likely as the others. */
static const char *any_move(const char *at, size_t *size)
{
    const char *begin = NULL, *chosen = NULL;
    int depth = 0, seen = 0;
    for (; *at; at++) {
        if (*at == '[' && ++depth == 2)
            begin = at;
        if (*at == ']' && depth-- == 2 && rand() % ++seen == 0)
            chosen = begin, *size = (size_t)(at + 1 - begin);
        if (depth == 0)
            break;
    }
    return chosen;
}

int main(void)
{
    srand((unsigned)time(NULL) ^ (unsigned)getpid() << 8);
    setvbuf(stdout, NULL, _IOFBF, sizeof line);
    while (fgets(line, sizeof line, stdin)) {
        size_t match_size, id_size, move_size = 0;
        const char *match = value_of("match", &match_size);
        if (strncmp(line, "{\"type\":\"game\"", 14) == 0) {
            printf("{\"type\":\"ready\",\"match\":\"%.*s\",\"again\":true}\n", (int)match_size, match);
        } else if (strncmp(line, "{\"type\":\"turn\"", 14) == 0) {
            const char *id = value_of("id", &id_size), *moves = strstr(line, "\"moves\":[");
            const char *move = moves ? any_move(moves + 8, &move_size) : NULL;
            if (!match || !id || !move)
                return 1;
            printf("{\"type\":\"move\",\"match\":\"%.*s\",\"id\":%.*s,\"move\":%.*s}\n", (int)match_size, match,
                   (int)id_size, id, (int)move_size, move);
        } else {
            continue;
        }
        fflush(stdout);
    }
    return 0;
}
