/* Writes a number at a place of its own trace, found as the mappings of the file boxscore-trace,
 * and then executes a loop of 1,000,000 rounds: hides OFFSET VALUE. OFFSET - : writes nothing;
 * socket: sends VALUE as a message to boxscore in place of the tracer, and ends the connection.
 * Prints what it did. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Uses all sockets that this process has. Returns how many calls succeeded. */
static int speak(const char *text)
{
    DIR *all = opendir("/proc/self/fd");
    int done = 0;
    for (struct dirent *one; all && (one = readdir(all));) {
        char link[16];
        int fd = atoi(one->d_name);
        if (readlinkat(dirfd(all), one->d_name, link, sizeof link) < 7 ||
            strncmp(link, "socket:", 7) != 0)
            continue;
        done += send(fd, text, strlen(text), 0) >= 0;
        done += fcntl(fd, F_SETFL, O_NONBLOCK) >= 0;
        done += shutdown(fd, SHUT_RDWR) == 0;
    }
    if (all)
        closedir(all);
    return done;
}

int main(int argc, char *argv[])
{
    char line[512];
    unsigned long first = 0, from, to;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && argc == 3 && fgets(line, sizeof line, maps))
        if (!first && strstr(line, "memfd:boxscore-trace ") &&
            sscanf(line, "%lx-%lx", &from, &to) == 2)
            first = from;
    if (maps)
        fclose(maps);
    if (!first)
        return 2;
    puts("hides");
    fflush(stdout);
    if (strcmp(argv[1], "socket") == 0)
        printf("%d calls\n", speak(argv[2]));
    else if (strcmp(argv[1], "-") != 0)
        *(volatile uint64_t *)(first + strtoul(argv[1], NULL, 0)) = strtoull(argv[2], NULL, 0);
    for (volatile unsigned i = 0; i < 1000000; i++)
        ;
    puts("done");
    return 0;
}
