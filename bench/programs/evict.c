/*
 * Takes a file's pages out of the page cache: posix_fadvise(2), POSIX_FADV_DONTNEED. Pages that a
 * process has mapped stay, and so do pages that are not written yet: it writes them first.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int fd;

	if (argc != 2)
		return 2;
	fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fsync(fd) < 0) {
		perror(argv[1]);
		return 1;
	}
	return posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}
