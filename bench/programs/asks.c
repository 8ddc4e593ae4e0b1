// SPDX-License-Identifier: Apache-2.0
/*
 * asks PORT RATE SECONDS: sends RATE requests for /metrics a second to a port of loopback, each on
 * a connection from the next of 250 loopback addresses. It keeps the last 1,000 open, reads no
 * answer, and ends by itself.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define KEPT 1000
#define ADDRESSES 250
/* A request leaves some connections later, when the connection stands. */
#define BEHIND 8
#define MOST_SECONDS 60

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

static int open_one(long number, int port)
{
	struct sockaddr_in from = { .sin_family = AF_INET }, to = from;
	int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	/* From 127.1.0.1 on. */
	from.sin_addr.s_addr = htonl(0x7f010001u + number % ADDRESSES);
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	to.sin_port = htons(port);
	setsockopt(fd, SOL_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof(one));
	if (!bind(fd, (const void *)&from, sizeof(from)) &&
	    (!connect(fd, (const void *)&to, sizeof(to)) || errno == EINPROGRESS))
		return fd;
	close(fd);
	return -1;
}

int main(int argc, char **argv)
{
	static const char request[] = "GET /metrics HTTP/1.1\r\nHost: pod\r\n\r\n";
	static int kept[KEPT];
	double began, rate, seconds;
	long asked = 0;

	if (argc != 4)
		errx(2, "usage: asks PORT RATE SECONDS");
	rate = atof(argv[2]);
	seconds = atof(argv[3]);
	if (seconds > MOST_SECONDS)
		errx(2, "at most %d seconds", MOST_SECONDS);
	for (began = now(); now() - began < seconds; usleep(500)) {
		for (; asked < (now() - began) * rate; asked++) {
			int *place = &kept[asked % KEPT];
			int earlier = kept[(asked + KEPT - BEHIND) % KEPT];

			if (earlier > 0)
				send(earlier, request, sizeof(request) - 1, MSG_NOSIGNAL);
			if (*place > 0)
				close(*place);
			*place = open_one(asked, atoi(argv[1]));
		}
	}
	return 0;
}
