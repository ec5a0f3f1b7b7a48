/* What runs by itself, in its order. */
#include <stdio.h>
#include <stdlib.h>
static void said(void);
static void said(void) __attribute__((constructor));
static int n;
__attribute__((constructor(300))) static void third(void) { printf("third %d\n", n++); }
__attribute__((constructor(200))) static void second(void) { printf("second %d\n", n++); }
static void listed(void) { printf("listed %d\n", n++); }
static void (*table)(void) __attribute__((section(".init_array.00250"), used)) = listed;
static void first(void) { printf("first %d\n", n++); }
static void (*early)(void) __attribute__((section(".preinit_array"), used)) = first;
__attribute__((destructor)) static void last(void) { printf("last %d\n", n++); }
__attribute__((destructor)) static void late(void) { printf("late %d\n", n++); }
__attribute__((destructor(200))) static void latest(void) { printf("latest %d\n", n++); fflush(stdout); }
__attribute__((constructor, destructor(300))) static void both(void) { printf("both %d\n", n++); }
static void said(void) { printf("said %d\n", n++); }
static void given(void) { printf("given %d\n", n++); }
int main(void) { atexit(given); printf("main %d\n", n++); return 3; }
