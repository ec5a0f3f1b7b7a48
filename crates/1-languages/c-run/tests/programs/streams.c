// Files by number, streams in memory, and names of files.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    char text[64];
    FILE *f = tmpfile(); fputs("first\nsecond\n", f); rewind(f); fgets(text, 64, f); printf("%s%ld\n", text, ftell(f));
    fseek(f, -3, SEEK_END); printf("%d", fgetc(f)); printf("%d\n", feof(f)); fclose(f);
    char *made; size_t size; f = open_memstream(&made, &size);
    fprintf(f, "%d", 12); fflush(f); printf("%s %zu\n", made, size);
    for (int i = 0; i < 300; i++) fputc('a' + i % 26, f);
    fclose(f); printf("%s %zu\n", made, size); free(made);
    char buffer[16] = "................"; f = fmemopen(buffer, 16, "w"); fputs("abc", f); fflush(f); printf("%s %c\n", buffer, buffer[5]); fputs("def", f); fclose(f); puts(buffer);
    f = fmemopen("12 34 x", 7, "r"); int a, b; printf("%d ", fscanf(f, "%d %d", &a, &b)); printf("%d %d %d\n", a, b, fgetc(f)); fclose(f);
    int n = open("bop_run_streams.txt", O_CREAT | O_RDWR | O_TRUNC, 0600);
    printf("%d %d\n", n > 2, (int)write(n, "hello world", 11));
    printf("%d ", (int)lseek(n, 6, SEEK_SET)); memset(text, 0, 64); printf("%d %s\n", (int)read(n, text, 63), text);
    int again = dup(n); lseek(again, 0, SEEK_SET); printf("%d %.5s\n", (int)read(n, text, 5), text);
    close(again); printf("%d\n", close(n)); errno = 0; printf("%d ", close(n)); printf("%d\n", errno == EBADF);
    n = open("bop_run_streams.txt", O_WRONLY | O_APPEND); dprintf(n, "%d!", 9); close(n);
    errno = 0; printf("%d ", open("bop_run_streams.txt", O_CREAT | O_EXCL | O_RDWR, 0600)); printf("%d\n", errno == EEXIST);
    f = fopen("bop_run_streams.txt", "r"); printf("%s %d\n", fgets(text, 64, f), fileno(f) > 2); fclose(f);
    printf("%d ", rename("bop_run_streams.txt", "bop_run_other.txt")); printf("%d ", access("bop_run_streams.txt", F_OK)); printf("%d\n", access("bop_run_other.txt", F_OK));
    f = fopen("bop_run_other.txt", "r"); remove("bop_run_other.txt"); printf("%s ", fgets(text, 64, f)); printf("%d\n", fopen("bop_run_other.txt", "r") == 0); fclose(f);
    n = open("bop_run_third.txt", O_CREAT | O_RDWR | O_TRUNC, 0600); f = fdopen(n, "w+"); fputs("by stream", f); rewind(f); printf("%s\n", fgets(text, 64, f)); fclose(f); unlink("bop_run_third.txt");
    char name[] = "bop_run_XXXXXX"; n = mkstemp(name); printf("%d %d %zu\n", n > 2, strncmp(name, "bop_run_", 8), strlen(name)); close(n); unlink(name);
    printf("%d %d %d %d\n", fileno(stdin), fileno(stdout), fileno(stderr), (int)write(99, "x", 1));
    fflush(stdout); write(1, "now\n", 4); printf("later\n"); setvbuf(stdout, 0, _IONBF, 0); printf("at once\n"); write(1, "then\n", 5);
    fputs_unlocked("unlocked\n", stdout);
    fflush(stdout); freopen("bop_run_out.txt", "w", stdout); printf("into the file"); fprintf(stdout, " %d", 7); puts(""); fflush(stdout);
    f = fopen("bop_run_out.txt", "r"); fgets(text, 64, f); fclose(f); remove("bop_run_out.txt");
    return strcmp(text, "into the file 7\n") ? 1 : 42;
}
