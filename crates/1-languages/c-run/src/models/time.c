/* Times as dates, in the C locale. Local time is Greenwich's here; a compiled program asks its surroundings. */

struct tm { int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst; long tm_gmtoff; const char *tm_zone; };

static const char *const bop_days[7] = { "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday" };
static const char *const bop_months[12] = { "January", "February", "March", "April", "May", "June", "July", "August",
  "September", "October", "November", "December" };

/* Days from 1970-01-01 to the first of March of a year, counted so that leap days are the last ones of their year. */
static long long bop_days_before(long long year) {
  long long era = (year >= 0 ? year : year - 399) / 400, of = year - era * 400;
  return era * 146097 + of * 365 + of / 4 - of / 100 - 719468;
}
static int bop_leap(long long year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }
static struct tm *bop_date(long long seconds, struct tm *to) {
  long long days = seconds / 86400, rest = seconds % 86400, z, era, of, year;
  int day, month;
  if (rest < 0) { rest += 86400; days--; }
  z = days + 719468;
  era = (z >= 0 ? z : z - 146096) / 146097;
  of = z - era * 146097;
  of = (of - of / 1460 + of / 36524 - of / 146096) / 365;
  year = era * 400 + of;
  day = (int)(days - bop_days_before(year));
  month = (5 * day + 2) / 153;
  to->tm_mday = day - (153 * month + 2) / 5 + 1;
  to->tm_mon = month < 10 ? month + 2 : month - 10;
  if (month >= 10) year++;
  if (year - 1900 > 2147483647 || year - 1900 < -2147483647 - 1) { bop_errno = 75; return 0; }
  to->tm_year = (int)(year - 1900);
  to->tm_yday = month >= 10 ? day - 306 : day + 59 + bop_leap(year);
  to->tm_hour = (int)(rest / 3600);
  to->tm_min = (int)(rest / 60 % 60);
  to->tm_sec = (int)(rest % 60);
  to->tm_wday = (int)(((days + 4) % 7 + 7) % 7);
  to->tm_isdst = 0;
  to->tm_gmtoff = 0;
  to->tm_zone = "GMT";
  return to;
}
static struct tm bop_now;
struct tm *gmtime_r(const long *seconds, struct tm *to) { return bop_date(*seconds, to); }
struct tm *gmtime(const long *seconds) { return bop_date(*seconds, &bop_now); }
struct tm *localtime_r(const long *seconds, struct tm *to) {
  __bop_compiler();
  if (!bop_date(*seconds, to)) return 0;
  to->tm_zone = "UTC";
  return to;
}
struct tm *localtime(const long *seconds) { return localtime_r(seconds, &bop_now); }
long timegm(struct tm *of) {
  long long months = (long long)of->tm_mon, year = 1900ll + of->tm_year, days, seconds;
  year += months / 12;
  months %= 12;
  if (months < 0) { months += 12; year--; }
  days = bop_days_before(months < 2 ? year - 1 : year);
  days += (153 * (months < 2 ? months + 10 : months - 2) + 2) / 5 + of->tm_mday - 1;
  seconds = days * 86400 + of->tm_hour * 3600ll + of->tm_min * 60ll + of->tm_sec;
  if (!bop_date(seconds, of)) return -1;
  return (long)seconds;
}
long mktime(struct tm *of) {
  long seconds;
  __bop_compiler();
  seconds = timegm(of);
  of->tm_zone = "UTC";
  return seconds;
}
void tzset(void) {}
double difftime(long a, long b) { return (double)a - (double)b; }
char *asctime_r(const struct tm *of, char *to) {
  sprintf(to, "%.3s %.3s%3d %.2d:%.2d:%.2d %d\n", of->tm_wday < 0 || of->tm_wday > 6 ? "???" : bop_days[of->tm_wday],
          of->tm_mon < 0 || of->tm_mon > 11 ? "???" : bop_months[of->tm_mon], of->tm_mday, of->tm_hour, of->tm_min,
          of->tm_sec, 1900 + of->tm_year);
  return to;
}
static char bop_date_text[64];
char *asctime(const struct tm *of) { return asctime_r(of, bop_date_text); }
char *ctime(const long *seconds) { return asctime(localtime(seconds)); }
char *ctime_r(const long *seconds, char *to) {
  struct tm now;
  return asctime_r(localtime_r(seconds, &now), to);
}
/* The year of ISO 8601 that a date is in, and its week. */
static int bop_week(const struct tm *of, long long *year) {
  int week = (of->tm_yday - (of->tm_wday + 6) % 7 + 10) / 7;
  long long y = 1900ll + of->tm_year;
  if (week < 1) {
    int days = 365 + bop_leap(y - 1);
    y--;
    week = (of->tm_yday + days - (of->tm_wday + 6) % 7 + 10) / 7;
  } else if (week == 53) {
    int days = 365 + bop_leap(y), first = ((of->tm_wday - of->tm_yday + days) % 7 + 7) % 7;
    if (first >= 1 && first <= 4) { y++; week = 1; }
  }
  *year = y;
  return week;
}
static size_t bop_put_text(char *to, size_t size, size_t n, const char *text, int upper) {
  for (; *text; text++, n++) if (n < size) to[n] = upper ? (char)toupper((unsigned char)*text) : *text;
  return n;
}
/* What stands for one conversion; those of several parts are formats of their own. */
static size_t bop_strftime(char *to, size_t size, size_t n, const char *format, const struct tm *of) {
  char text[32];
  long long year;
  for (; *format; format++) {
    const char *put = text;
    int upper = 0, plain = 0, c;
    if (*format != '%') { text[0] = *format; text[1] = 0; n = bop_put_text(to, size, n, text, 0); continue; }
    for (;;) {
      c = *++format;
      if (c == '^') upper = 1;
      else if (c == '-') plain = 1;
      else if (c != 'E' && c != 'O') break;
    }
    text[0] = 0;
    switch (c) {
    case 'a': sprintf(text, "%.3s", of->tm_wday < 0 || of->tm_wday > 6 ? "?" : bop_days[of->tm_wday]); break;
    case 'A': put = of->tm_wday < 0 || of->tm_wday > 6 ? "?" : bop_days[of->tm_wday]; break;
    case 'b': case 'h': sprintf(text, "%.3s", of->tm_mon < 0 || of->tm_mon > 11 ? "?" : bop_months[of->tm_mon]); break;
    case 'B': put = of->tm_mon < 0 || of->tm_mon > 11 ? "?" : bop_months[of->tm_mon]; break;
    case 'c': n = bop_strftime(to, size, n, "%a %b %e %H:%M:%S %Y", of); continue;
    case 'C': year = 1900ll + of->tm_year; sprintf(text, "%lld", year / 100 - (year % 100 < 0)); break;
    case 'd': sprintf(text, plain ? "%d" : "%.2d", of->tm_mday); break;
    case 'D': case 'x': n = bop_strftime(to, size, n, "%m/%d/%y", of); continue;
    case 'e': sprintf(text, plain ? "%d" : "%2d", of->tm_mday); break;
    case 'F': n = bop_strftime(to, size, n, "%Y-%m-%d", of); continue;
    case 'g': bop_week(of, &year); sprintf(text, "%.2d", (int)((year % 100 + 100) % 100)); break;
    case 'G': bop_week(of, &year); sprintf(text, "%lld", year); break;
    case 'H': sprintf(text, plain ? "%d" : "%.2d", of->tm_hour); break;
    case 'I': sprintf(text, plain ? "%d" : "%.2d", of->tm_hour % 12 ? of->tm_hour % 12 : 12); break;
    case 'j': sprintf(text, plain ? "%d" : "%.3d", of->tm_yday + 1); break;
    case 'k': sprintf(text, "%2d", of->tm_hour); break;
    case 'l': sprintf(text, "%2d", of->tm_hour % 12 ? of->tm_hour % 12 : 12); break;
    case 'm': sprintf(text, plain ? "%d" : "%.2d", of->tm_mon + 1); break;
    case 'M': sprintf(text, plain ? "%d" : "%.2d", of->tm_min); break;
    case 'n': put = "\n"; break;
    case 'p': put = of->tm_hour > 11 ? "PM" : "AM"; break;
    case 'P': put = of->tm_hour > 11 ? "pm" : "am"; break;
    case 'r': n = bop_strftime(to, size, n, "%I:%M:%S %p", of); continue;
    case 'R': n = bop_strftime(to, size, n, "%H:%M", of); continue;
    case 's': { struct tm copy = *of; sprintf(text, "%ld", mktime(&copy)); break; }
    case 'S': sprintf(text, plain ? "%d" : "%.2d", of->tm_sec); break;
    case 't': put = "\t"; break;
    case 'T': case 'X': n = bop_strftime(to, size, n, "%H:%M:%S", of); continue;
    case 'u': sprintf(text, "%d", of->tm_wday ? of->tm_wday : 7); break;
    case 'U': sprintf(text, plain ? "%d" : "%.2d", (of->tm_yday + 7 - of->tm_wday) / 7); break;
    case 'V': sprintf(text, plain ? "%d" : "%.2d", bop_week(of, &year)); break;
    case 'w': sprintf(text, "%d", of->tm_wday); break;
    case 'W': sprintf(text, plain ? "%d" : "%.2d", (of->tm_yday + 7 - (of->tm_wday + 6) % 7) / 7); break;
    case 'y': sprintf(text, plain ? "%d" : "%.2d", (int)(((of->tm_year % 100) + 100) % 100)); break;
    case 'Y': sprintf(text, "%lld", 1900ll + of->tm_year); break;
    case 'z': {
      long minutes = of->tm_gmtoff / 60;
      sprintf(text, "%c%.4ld", minutes < 0 ? '-' : '+', (minutes < 0 ? -minutes : minutes) / 60 * 100 + (minutes < 0 ? -minutes : minutes) % 60);
      break;
    }
    case 'Z': put = of->tm_zone ? of->tm_zone : ""; break;
    case '%': put = "%"; break;
    case 0: return n;
    default: text[0] = '%'; text[1] = (char)c; text[2] = 0; break;
    }
    n = bop_put_text(to, size, n, put, upper);
  }
  return n;
}
size_t strftime(char *to, size_t size, const char *format, const struct tm *of) {
  size_t n = bop_strftime(to, size, 0, format, of);
  if (n >= size) return 0;
  to[n] = 0;
  return n;
}
