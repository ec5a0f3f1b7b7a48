//@ property: reach CHANGED
//@ verdict: reachable
//@ origin: run: what a pointer points to changes with the variable
int main(void) {
    int x = 0, *p = &x;
    if (!*p) {
        x = 1;
        if (*p)
            CHANGED: return 1;
    }
    return 0;
}
