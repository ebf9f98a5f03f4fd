/* Each function fails in its own way; the line that a case is about bears its name. */
#include <assert.h>
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "shop: "

static const char *errors[] = {
	"all went well",
	"the shelf is empty", /* case: table */
	"the shelf is locked by another clerk",
};

static void die(const char *message)
{
	fprintf(stderr, "%s\n", message);
	exit(1);
}

static void price(const char *item, int64_t n)
{
	if (!*item)
		die(PREFIX "the thing has no name"); /* case: constant prefix */
	if (n < 0) {
		fprintf(stderr, "cannot sell %" PRId64 " pieces of %s\n", n, item); /* case: formatted */
		exit(2);
	}
	die(n > 9 ? "too many pieces for one bag" : "too few pieces for a bag"); /* case: conditional */
}

static void open_till(const char *path)
{
	if (!fopen(path, "r")) {
		perror("cannot open the till"); /* case: perror */
		exit(3);
	}
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	if (!strcmp(name, "table"))
		die(errors[1]);
	if (!strcmp(name, "constant prefix"))
		price("", 1);
	if (!strcmp(name, "formatted"))
		price("tea", -3);
	if (!strcmp(name, "conditional"))
		price("tea", 12);
	if (!strcmp(name, "perror"))
		open_till("/there/is/no/such/till");
	if (!strcmp(name, "err"))
		err(4, "cannot read the bill of table %d", 4), errno = 0; /* case: err */
	if (!strcmp(name, "errx"))
		errx(5, "the customer %s has left", "Kim"); /* case: errx */
	if (!strcmp(name, "assertion"))
		assert(argc > 20 && "the till must be open"); /* case: assertion */
	if (!strcmp(name, "plain assertion"))
		assert(strlen(name) == 3); /* case: plain assertion */
	if (!strcmp(name, "fputs")) {
		fputs("the printer is out of paper\n", stderr); /* case: fputs */
		abort();
	}
	return 0;
}
