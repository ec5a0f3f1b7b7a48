//@ property: reach AFTER
//@ verdict: unreachable
//@ property: reach BEFORE
//@ verdict: reachable
//@ origin: run: `abort` does not come back, and neither does who calls it
extern void abort(void);
static void stop(void) { abort(); }
int main(void) {
    BEFORE: stop();
    AFTER: return 0;
}
