//@ property: reach BOTH
//@ verdict: unreachable
//@ property: reach ONE
//@ verdict: reachable
//@ origin: by hand: a condition that was decided and cannot have changed is decided the same way
int main(int argc, char **argv) {
    if (argc > 1) {
        if (argc > 1)
            ONE: return 1;
        BOTH: return 2;
    }
    return 0;
}
