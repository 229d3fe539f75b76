/* The only process of a guest: mounts what hwchar reads, runs /hwchar with the
 * arguments in /arguments, one a line, says how it ended, and switches off. */
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_ARGUMENTS 32

static int run(void)
{
    static char lines[MOST_ARGUMENTS][256];
    char *arguments[MOST_ARGUMENTS + 2] = {"/hwchar"};
    FILE *file = fopen("/arguments", "r");
    int count = 0, status = -1;
    pid_t child;

    while (file != NULL && count < MOST_ARGUMENTS && fgets(lines[count], sizeof lines[count], file) != NULL) {
        lines[count][strcspn(lines[count], "\n")] = '\0';
        arguments[count + 1] = lines[count];
        count++;
    }
    child = fork();
    if (child == 0) {
        execv(arguments[0], arguments);
        _exit(127);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

int main(void)
{
    mount("proc", "/proc", "proc", 0, NULL);
    mount("sysfs", "/sys", "sysfs", 0, NULL);
    printf("GUEST-BEGIN\n");
    fflush(stdout);
    printf("GUEST-END %d\n", run());
    fflush(stdout);
    sync();
    reboot(RB_POWER_OFF);
    for (;;)
        pause();
}
