//@ property: reach WRAPS
//@ verdict: reachable
//@ property: reach FITS
//@ verdict: unreachable
//@ origin: run: an unsigned char takes 300 for 44
int main(void) {
    unsigned char c = 300;
    if (c < 100)
        WRAPS: return 1;
    FITS: return 0;
}
