// SPDX-License-Identifier: Apache-2.0
/*
 * enters-root [OPTION...] STAGE ROOT BUNDLE APP PROGRAM [ARGUMENT...]: runs PROGRAM in ROOT, as the
 * first process of mount, PID, UTS and new IPC namespaces. BUNDLE is at /opt/svc, as a
 * container runtime would, and APP at /opt/app. STAGE is an empty folder to mount on. Ends with
 * PROGRAM's status, or 128 + n.
 *
 *   -e FILE     environment, NUL ended
 *   -d KIND     /dev: full, noshm, empty    -p OPTIONS  of /proc; "none" for no /proc
 *   -w          the root is writable        -t          its own /tmp
 *   -u UID      user and group              -n          no capabilities, no_new_privs
 *   -l BYTES    RLIMIT_MEMLOCK
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_VARIABLES 256

struct options {
	const char *environment, *dev, *proc;
	const char *stage, *root, *bundle, *app;
	int writable, own_tmp, powerless;
	long user, memlock;
};

static const char *below(const char *folder, const char *name)
{
	static char paths[4][4096];
	static int next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s%s", folder, name);
	return path;
}

static void mount_or_die(const char *from, const char *to, const char *type, unsigned long flags,
			 const char *data)
{
	if (mount(from, to, type, flags, data))
		err(2, "mount %s on %s", from, to);
}

static void bind_file(const char *dev, const char *name)
{
	const char *target = below(dev, name);
	int fd = open(target, O_CREAT | O_RDWR, 0666);

	if (fd < 0)
		err(2, "create %s", target);
	close(fd);
	mount_or_die(below("/dev", name), target, NULL, MS_BIND, NULL);
}

static void make_dev(const char *stage, const char *kind)
{
	static const char *const nodes[] = { "/null", "/zero", "/full", "/random", "/urandom" };
	const char *dev = strdup(below(stage, "/dev"));

	mount_or_die("dev", dev, "tmpfs", MS_NOSUID | MS_NOEXEC, "mode=755");
	if (!strcmp(kind, "empty"))
		return;
	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++)
		bind_file(dev, nodes[i]);
	if (!strcmp(kind, "noshm"))
		return;
	mkdir(below(dev, "/shm"), 0777);
	mount_or_die("shm", below(dev, "/shm"), "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

/* A mount there is read-only, and its files have no privileges. */
static void seal(const char *path, unsigned long flags)
{
	mount_or_die("none", path, NULL, MS_REMOUNT | MS_BIND | MS_NOSUID | MS_NODEV | flags, NULL);
}

static void bind_folder(const char *from, const char *to)
{
	if (mkdir(to, 0755))
		err(2, "mkdir %s", to);
	mount_or_die(from, to, NULL, MS_BIND, NULL);
	seal(to, MS_RDONLY);
}

static void build(const struct options *o)
{
	const char *stage = o->stage;

	mount_or_die("none", "/", NULL, MS_REC | MS_PRIVATE, NULL);
	mount_or_die(o->root, stage, NULL, MS_BIND, NULL);
	/* A machine's own root has no folders for these. */
	mount_or_die("opt", below(stage, "/opt"), "tmpfs", 0, "mode=755");
	bind_folder(o->bundle, below(stage, "/opt/svc"));
	bind_folder(o->app, below(stage, "/opt/app"));
	make_dev(stage, o->dev);
	if (o->own_tmp)
		mount_or_die("tmp", below(stage, "/tmp"), "tmpfs", MS_NOEXEC | MS_NOSUID, NULL);
	if (strcmp(o->proc, "none"))
		mount_or_die("proc", below(stage, "/proc"), "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC,
			     o->proc);
	seal(stage, o->writable ? 0 : MS_RDONLY);
}

static void enter(const struct options *o)
{
	if (chdir(o->stage) || syscall(SYS_pivot_root, ".", ".") || umount2(".", MNT_DETACH) ||
	    chdir("/opt/app"))
		err(2, "enter %s", o->root);
}

/* Before the user changes: afterwards there is no capability to drop the rest of them with. */
static void drop_powers(void)
{
	for (int cap = 0; prctl(PR_CAPBSET_READ, cap) >= 0; cap++)
		if (prctl(PR_CAPBSET_DROP, cap))
			err(2, "drop capability %d", cap);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		err(2, "set no_new_privs");
}

static void clear_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = { 0 };

	if (syscall(SYS_capset, &header, none))
		err(2, "clear capabilities");
}

static void become_user(const struct options *o)
{
	struct rlimit limits = { o->memlock, o->memlock };

	if (o->memlock >= 0 && setrlimit(RLIMIT_MEMLOCK, &limits))
		err(2, "setrlimit");
	if (o->powerless)
		drop_powers();
	if (o->user > 0 && (setgroups(0, NULL) || setresgid(o->user, o->user, o->user) ||
			    setresuid(o->user, o->user, o->user)))
		err(2, "become %ld", o->user);
	if (o->powerless)
		clear_capabilities();
}

static void read_environment(const char *path, char **variables)
{
	static char bytes[1 << 18];
	int fd = open(path, O_RDONLY | O_CLOEXEC), count = 0;
	ssize_t length = fd < 0 ? -1 : read(fd, bytes, sizeof(bytes) - 1);

	if (length < 0)
		err(2, "read %s", path);
	close(fd);
	for (char *at = bytes; at < bytes + length && count < MAX_VARIABLES; at += strlen(at) + 1)
		variables[count++] = at;
}

static int wait_for(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			err(2, "waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	struct options o = { .dev = "full", .proc = "", .memlock = -1 };
	static char *variables[MAX_VARIABLES + 1];
	int option;
	pid_t child;

	while ((option = getopt(argc, argv, "+e:d:p:u:l:wtn")) != -1) {
		switch (option) {
		case 'e': o.environment = optarg; break;
		case 'd': o.dev = optarg; break;
		case 'p': o.proc = optarg; break;
		case 'u': o.user = atol(optarg); break;
		case 'l': o.memlock = atol(optarg); break;
		case 'w': o.writable = 1; break;
		case 't': o.own_tmp = 1; break;
		case 'n': o.powerless = 1; break;
		default: return 2;
		}
	}
	if (argc - optind < 5 || !o.environment)
		errx(2, "see the source");
	o.stage = argv[optind];
	o.root = argv[optind + 1];
	o.bundle = argv[optind + 2];
	o.app = argv[optind + 3];
	read_environment(o.environment, variables);
	if (unshare(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWUTS | CLONE_NEWIPC))
		err(2, "unshare");
	child = fork();
	if (child < 0)
		err(2, "fork");
	if (child > 0)
		return wait_for(child);
	/* Its namespaces end with it: nothing is left when this program is killed. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	build(&o);
	enter(&o);
	become_user(&o);
	/* Changing the user takes the signal away; prctl(2). */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	execve(argv[optind + 4], argv + optind + 4, variables);
	err(2, "exec %s", argv[optind + 4]);
}
