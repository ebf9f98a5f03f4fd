/* Each case fails in its own way. Written down before anything was known of how they match, and
   all of them kept. The line that a case is about bears its name. */
#include <assert.h>
#include <err.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#define LOG_ERROR(format, ...) fprintf(stderr, "error: " format "\n", ##__VA_ARGS__)
#define FAIL(text) do { fputs("market: " text "\n", stderr); exit(6); } while (0)
#define CHECK(holds, ...) do { if (!(holds)) { fprintf(stderr, __VA_ARGS__); fputc('\n', stderr); exit(7); } } while (0)
#define OWNER "the owner of stall %d "

enum problem { OK, RAIN, FIRE, PROBLEMS };

static const char *const texts[PROBLEMS] = {
	[OK] = "all is well at the market",
	[RAIN] = "the market is closed for rain", /* case: designated table */
	[FIRE] = "the market is closed for fire",
};

static const struct { int code; const char *text; } codes[] = {
	{ 10, "the scales are broken" },
	{ 20, "the scales were never checked" }, /* case: table of structs */
};

#define PROBLEM_LIST \
	X(LEGS, "the table has only three legs") /* case: list of macros */ \
	X(PLATE, "the table has no plate")

static const char *listed(int which)
{
	int at = 0;
#define X(name, text) if (at++ == which) return text;
	PROBLEM_LIST
#undef X
	return "?";
}

static const char *explain(int code)
{
	switch (code) {
	case 1:
		return "no such goods are sold here"; /* case: explained by a switch */
	case 2:
		return "the goods are sold out";
	default:
		return "unknown error";
	}
}

static void die(const char *format, ...)
{
	va_list values;
	va_start(values, format);
	fputs("fatal: ", stderr);
	vfprintf(stderr, format, values);
	fputc('\n', stderr);
	va_end(values);
	exit(4);
}

static jmp_buf out;
static const char *thrown;

static void throw_text(const char *text)
{
	thrown = text;
	longjmp(out, 1);
}

static int cleanup(int stalls)
{
	const char *message = NULL;
	if (stalls > 3) {
		message = "more stalls than places";
		goto done;
	}
	message = "fewer stalls than places";
done:
	if (message)
		fprintf(stderr, "market: %s\n", message); /* case: goto */
	return 1;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	char buffer[100];
	if (!strcmp(name, "designated table"))
		errx(1, "%s", texts[RAIN]);
	if (!strcmp(name, "table of structs"))
		fprintf(stderr, "%s\n", codes[1].text), exit(1);
	if (!strcmp(name, "list of macros"))
		fprintf(stderr, "%s\n", listed(0)), exit(1);
	if (!strcmp(name, "explained by a switch"))
		die("%s", explain(1));
	if (!strcmp(name, "die with a format"))
		die("stall %d is on fire since %s", 9, "noon"); /* case: die with a format */
	if (!strcmp(name, "macro with a format")) {
		LOG_ERROR("no change left for %s", "Kim"); /* case: macro with a format */
		return 1;
	}
	if (!strcmp(name, "macro with a text"))
		FAIL("the gate is locked"); /* case: macro with a text */
	if (!strcmp(name, "macro that checks"))
		CHECK(argc > 9, "only %d baskets were counted", argc); /* case: macro that checks */
	if (!strcmp(name, "joined macros"))
		die(OWNER "is unknown", 3); /* case: joined macros */
	if (!strcmp(name, "goto"))
		return cleanup(4);
	if (!strcmp(name, "jump")) {
		if (setjmp(out)) {
			fprintf(stderr, "%s\n", thrown);
			return 1;
		}
		throw_text("the carrier dropped the box"); /* case: jump */
	}
	if (!strcmp(name, "buffer")) {
		snprintf(buffer, sizeof buffer, "the queue has %d customers too many", 12);
		fputs(buffer, stderr); /* case: buffer */
		fputc('\n', stderr);
		return 1;
	}
	if (!strcmp(name, "strerror")) {
		if (open("/no/such/book", O_RDONLY) < 0)
			fprintf(stderr, "cannot read the book %s: %s\n", "/no/such/book", strerror(errno)); /* case: strerror */
		return 1;
	}
	if (!strcmp(name, "error of glibc"))
		error(5, ENOENT, "the key of stall %d", 8); /* case: error of glibc */
	if (!strcmp(name, "warn")) {
		errno = EACCES;
		warn("cannot enter the hall of %s", "Kim"); /* case: warn */
		return 1;
	}
	if (!strcmp(name, "warnx")) {
		warnx("only %d of %d lamps burn", 3, 9); /* case: warnx */
		return 1;
	}
	if (!strcmp(name, "dprintf")) {
		dprintf(STDERR_FILENO, "the printer of stall %d is out of paper\n", 3); /* case: dprintf */
		return 2;
	}
	if (!strcmp(name, "write")) {
		static const char text[] = "the till was left open over night\n";
		return write(STDERR_FILENO, text, sizeof text - 1) > 0; /* case: write */
	}
	if (!strcmp(name, "syslog")) {
		openlog("market", LOG_PERROR, LOG_USER);
		syslog(LOG_ERR, "the clock of the hall is %d minutes late", 4); /* case: syslog */
		return 1;
	}
	if (!strcmp(name, "joined over lines")) {
		fprintf(stderr, /* case: joined over lines */
			"the weights of stall %d "
			"were not the right ones\n", 4);
		abort();
	}
	if (!strcmp(name, "choice of arguments")) {
		fprintf(stderr, "the door is %s for customers\n", argc > 5 ? "open" : "shut"); /* case: choice of arguments */
		return 1;
	}
	if (!strcmp(name, "perror of a path")) {
		if (fopen("/no/such/list", "r") == NULL)
			perror("/no/such/list"); /* case: perror of a path */
		return 1;
	}
	if (!strcmp(name, "assertion of a range"))
		assert(argc >= 5 && argc <= 9); /* case: assertion of a range */
	if (!strcmp(name, "nothing: usage")) {
		fprintf(stderr, "usage: %s [-v] stall basket...\n", argv[0]); /* kept apart from errors */
		return 2;
	}
	if (!strcmp(name, "flockfile")) {
		flockfile(stderr);
		fputs("the bell rings too early", stderr); /* case: flockfile */
		putc('\n', stderr);
		return 1;
	}
	return 0;
}
