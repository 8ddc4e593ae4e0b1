// SPDX-License-Identifier: Apache-2.0
/*
 * connects FROM TO PORT RATE SECONDS: opens RATE connections a second to TO, from the local address
 * FROM, and says nothing on them. It keeps the last 1,000 open and resets the older ones. Prints
 * how many it opened, and ends by itself.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define KEPT 1000
#define MOST_SECONDS 60

static struct sockaddr_in address_of(const char *text, int port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port) };

	if (inet_pton(AF_INET, text, &address.sin_addr) != 1)
		errx(2, "%s: no IPv4 address", text);
	return address;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

static int open_one(const struct sockaddr_in *from, const struct sockaddr_in *to)
{
	struct linger reset = { .l_onoff = 1 };
	int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof(one));
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	if (!bind(fd, (const void *)from, sizeof(*from)) &&
	    (!connect(fd, (const void *)to, sizeof(*to)) || errno == EINPROGRESS))
		return fd;
	close(fd);
	return -1;
}

int main(int argc, char **argv)
{
	static int kept[KEPT];
	struct sockaddr_in from, to;
	double began, rate, seconds;
	long opened = 0, tried = 0;

	if (argc != 6)
		errx(2, "usage: connects FROM TO PORT RATE SECONDS");
	from = address_of(argv[1], 0);
	to = address_of(argv[2], atoi(argv[3]));
	rate = atof(argv[4]);
	seconds = atof(argv[5]);
	if (seconds > MOST_SECONDS)
		errx(2, "at most %d seconds", MOST_SECONDS);
	for (began = now(); now() - began < seconds; usleep(1000)) {
		for (; tried < (now() - began) * rate; tried++) {
			int fd = open_one(&from, &to), *place = &kept[tried % KEPT];

			if (*place > 0)
				close(*place);
			*place = fd;
			opened += fd > 0;
		}
	}
	printf("%ld\n", opened);
	return 0;
}
