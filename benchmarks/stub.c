/* A bot on stdin and stdout that answers at once: always the first move of the list. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void copy(const char *line, const char *key, char *out, int size) {
    const char *at = strstr(line, key);
    int i = 0;
    if (at)
        for (at += strlen(key); *at && *at != ',' && *at != '}' && *at != '"' && i < size - 1;) out[i++] = *at++;
    out[i] = 0;
}

int main(void) {
    char *line = NULL, match[80], id[40], move[8192];
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        copy(line, "\"match\":\"", match, sizeof match);
        if (strstr(line, "\"type\":\"game\"")) {
            printf("{\"type\":\"ready\",\"match\":\"%s\",\"again\":true}\n", match);
        } else if (strstr(line, "\"type\":\"turn\"")) {
            char *at = strstr(line, "\"moves\":[");
            int depth = 0, i = 0;
            if (!at) continue;
            for (at += 9; *at && i < (int)sizeof move - 1; at++) {
                depth += (*at == '[') - (*at == ']');
                if (depth < 0 || (depth == 0 && *at == ',')) break;
                move[i++] = *at;
            }
            move[i] = 0;
            copy(line, "\"id\":", id, sizeof id);
            printf("{\"type\":\"move\",\"match\":\"%s\",\"id\":%s,\"move\":%s}\n", match, id, move);
        }
        fflush(stdout);
    }
    return 0;
}
