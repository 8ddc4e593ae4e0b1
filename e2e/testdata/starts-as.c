// SPDX-License-Identifier: Apache-2.0
/*
 * starts-as [OPTION...] PROGRAM [ARGUMENT...]: becomes PROGRAM in surroundings that are known.
 * Every signal has its default action and none is blocked, unless an option says otherwise.
 *
 *   -b SIG       block a signal            -i SIG        ignore a signal
 *   -u MODE      umask, octal              -d FOLDER     working directory
 *   -l RES=SOFT[:HARD]  resource limit     -c FD         close a descriptor
 *   -o FD=PATH   open a file               -n CALL=ERRNO a system call, by its name or its
 *                                          number, that fails once PROGRAM runs
 *   -e FILE      environment, NUL ended    -a FILE       arguments, NUL ended
 *   -p           LISTEN_PID= of ours       -U UID        user and group, no capabilities
 *   -k N,N,...   the only system calls; others kill the process
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_WORDS 8192

extern char **environ;

/* glibc refuses sigaction for its own signals 32 and 33, so the kernel is asked. */
static void set_disposition(int signal, void (*handler)(int))
{
	struct {
		void (*handler)(int);
		unsigned long rest[3];
	} action = { .handler = handler };

	syscall(SYS_rt_sigaction, signal, &action, NULL, 8);
}

static void start_clean(void)
{
	sigset_t none;

	for (int signal = 1; signal <= 64; signal++)
		set_disposition(signal, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void block(int signal)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signal);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

/* Cuts NAME=VALUE and returns VALUE. */
static char *cut(char *text)
{
	char *equals = strchr(text, '=');

	if (!equals)
		errx(2, "%s: must be NAME=VALUE", text);
	*equals = '\0';
	return equals + 1;
}

static void limit(char *text)
{
	char *value = cut(text);
	struct rlimit limits;
	int resource;

	if (!strcmp(text, "nofile"))
		resource = RLIMIT_NOFILE;
	else if (!strcmp(text, "core"))
		resource = RLIMIT_CORE;
	else if (!strcmp(text, "nproc"))
		resource = RLIMIT_NPROC;
	else if (!strcmp(text, "memlock"))
		resource = RLIMIT_MEMLOCK;
	else if (!strcmp(text, "as"))
		resource = RLIMIT_AS;
	else if (!strcmp(text, "data"))
		resource = RLIMIT_DATA;
	else if (!strcmp(text, "stack"))
		resource = RLIMIT_STACK;
	else if (!strcmp(text, "fsize"))
		resource = RLIMIT_FSIZE;
	else
		errx(2, "%s: no such limit", text);
	if (getrlimit(resource, &limits))
		err(2, "getrlimit %s", text);
	limits.rlim_cur = strtoul(value, &value, 10);
	if (*value == ':')
		limits.rlim_max = strtoul(value + 1, NULL, 10);
	if (setrlimit(resource, &limits))
		err(2, "setrlimit %s", text);
}

static void open_as(char *text)
{
	char *path = cut(text);
	int wanted = atoi(text);
	int fd = open(path, O_RDONLY);

	if (fd < 0 || dup2(fd, wanted) < 0)
		err(2, "open %s", path);
	if (fd != wanted)
		close(fd);
}

/*
 * seccomp(2): one filter for each call, the others pass. The execve(2) of PROGRAM passes, too: its
 * path is the only one at that address.
 */
static void let_fail(char *text, const char *path)
{
	char *name = cut(text);
	unsigned int error = atoi(name);
	unsigned int call = text[0] >= '0' && text[0] <= '9' ? (unsigned int)atoi(text) :
			    !strcmp(text, "memfd_secret") ? SYS_memfd_secret :
			    !strcmp(text, "ptrace") ? SYS_ptrace :
			    !strcmp(text, "mlockall") ? SYS_mlockall :
			    !strcmp(text, "mlock2") ? SYS_mlock2 :
			    !strcmp(text, "mremap") ? SYS_mremap : SYS_mlock;
	unsigned int own = call == SYS_execve ? (unsigned int)(unsigned long)path : 0;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, own, own ? 1 : 0, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = 6, .filter = code };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0))
		err(2, "seccomp %s", text);
}

/* seccomp(2): the numbers pass, and each other call kills the process. */
static void allow_only(char *text)
{
	static struct sock_filter code[256];
	unsigned int count = 1, numbers = 1;

	for (char *at = text; *at; at++)
		numbers += *at == ',';
	/* A jump goes 255 instructions far. */
	if (numbers > 252)
		errx(2, "too many system calls: %u", numbers);
	code[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					       offsetof(struct seccomp_data, nr));
	for (char *word = strtok(text, ","); word; word = strtok(NULL, ","), count++)
		code[count] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, atoi(word),
							   numbers + 1 - count, 0);
	code[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	code[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = { .len = count, .filter = code };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0))
		err(2, "seccomp");
}

/* Reads NUL-ended words into `words`, from `count` on. */
static int read_words(const char *path, char **words, int count)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat info;
	char *bytes;

	if (fd < 0 || fstat(fd, &info))
		err(2, "open %s", path);
	bytes = malloc(info.st_size + 1);
	if (!bytes || read(fd, bytes, info.st_size) != info.st_size)
		err(2, "read %s", path);
	close(fd);
	for (char *word = bytes; word < bytes + info.st_size; word += strlen(word) + 1) {
		if (count >= MAX_WORDS - 2)
			errx(2, "%s: too many words", path);
		words[count++] = word;
	}
	words[count] = NULL;
	return count;
}

static void become(const char *path, char **argv, long user)
{
	/* Opened first: the user may not be allowed to enter the folder that it is in. */
	int fd = open(path, O_PATH | O_CLOEXEC);

	if (user < 0) {
		execvpe(path, argv, environ);
		err(2, "exec %s", path);
	}
	if (fd < 0 || setgroups(0, NULL) || setresgid(user, user, user) ||
	    setresuid(user, user, user))
		err(2, "become %ld", user);
	fexecve(fd, argv, environ);
	err(2, "exec %s", path);
}

int main(int argc, char **argv)
{
	static char *words[MAX_WORDS], *variables[MAX_WORDS];
	char listen_pid[32], *argument_file = NULL;
	int option, count = 0;
	char *fails[16];
	int failing = 0;
	long user = -1;

	start_clean();
	while ((option = getopt(argc, argv, "+b:i:u:d:l:c:o:n:e:a:pU:k:")) != -1) {
		switch (option) {
		case 'b': block(atoi(optarg)); break;
		case 'i': set_disposition(atoi(optarg), SIG_IGN); break;
		case 'u': umask(strtoul(optarg, NULL, 8)); break;
		case 'd': if (chdir(optarg)) err(2, "chdir %s", optarg); break;
		case 'l': limit(optarg); break;
		case 'c': close(atoi(optarg)); break;
		case 'o': open_as(optarg); break;
		case 'n': if (failing < 16) fails[failing++] = optarg; break;
		case 'e': read_words(optarg, variables, 0); environ = variables; break;
		case 'a': argument_file = optarg; break;
		case 'p':
			snprintf(listen_pid, sizeof(listen_pid), "LISTEN_PID=%d", getpid());
			putenv(listen_pid);
			break;
		case 'U': user = atol(optarg); break;
		case 'k': allow_only(optarg); break;
		default: return 2;
		}
	}
	for (; optind < argc && count < MAX_WORDS - 2; optind++)
		words[count++] = argv[optind];
	if (count == 0)
		errx(2, "no program");
	if (argument_file)
		read_words(argument_file, words, count);
	while (failing > 0)
		let_fail(fails[--failing], words[0]);
	become(words[0], words, user);
}
