//@ property: reach BOTTOM
//@ verdict: reachable
//@ property: reach TWICE
//@ verdict: unreachable
//@ property: ltl F terminated
//@ verdict: violated
//@ origin: by hand: the control skeleton; how deep a recursion goes is data, so that it may go on for ever
static int down(int n) {
    if (n)
        return down(n - 1);
    BOTTOM: return 0;
}
int main(int argc, char **argv) {
    down(argc);
    return 0;
    TWICE: return 1;
}
