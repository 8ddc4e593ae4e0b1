/*
 * Runs the code of tracer/prepare.x64.s in this process: CODE FLAGS HOW BYTES.
 *
 * HOW: `given` has a region with the entry PASSWORD=VALUE, on a stack with that variable and
 * another one whose text is BYTES long and ends in VALUE. `refused` asks the kernel for a
 * descriptor, which answers as it would a program that has no filter. `alone` asks as well, and its
 * listener is gone.
 *
 * Says in words how the code has left the variables, and ends with 42 if the code has gone to
 * the program's beginning.
 */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define VALUE "a-value-of-a-test"
#define ENTRY "PASSWORD=" VALUE
#define REGION_BYTES 4096

static char copy[] = ENTRY;
static const char wiped[sizeof(copy)] = "PASSWORD=";
static unsigned long *stack;

static void check(int holds, const char *what)
{
	if (holds)
		return;
	perror(what);
	exit(1);
}

/* execve(2) has a listener that is gone: seccomp_unotify(2). */
static void lose_listener(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_execve, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof(code) / sizeof(code[0]), code };
	long listener;

	check(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "prctl");
	listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
			   &filter);
	check(listener >= 0, "seccomp");
	close(listener);
}

static void *read_code(const char *path)
{
	char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	FILE *file = fopen(path, "r");

	check(code != MAP_FAILED && file && fread(code, 1, 4096, file) > 0, path);
	fclose(file);
	return code;
}

/* The code's int3. */
static void on_trap(int signal, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
	char *address = (char *)registers[REG_RAX];

	(void)signal;
	(void)info;
	if ((unsigned long)address >= -4095UL) {
		printf("refused %s\n", strerrorname_np(-(int)registers[REG_RAX]));
		exit(0);
	}
	printf("%s, ", (char *)stack[2] == address && !strcmp(address, ENTRY) ? "pointed" : "as it was");
	printf("%s, ", memcmp(copy, wiped, sizeof(copy)) ? "copy left" : "copy wiped");
	printf("%s\n", registers[REG_RBX] ? "another copy" : "no other copy");
	exit(0);
}

static void begin(void)
{
	_exit(42);
}

static int region(void)
{
	int fd = memfd_create("region", MFD_CLOEXEC);

	check(fd >= 0 && ftruncate(fd, REGION_BYTES) == 0, "memfd_create");
	check(write(fd, ENTRY, sizeof(ENTRY)) == sizeof(ENTRY), "write");
	return fd;
}

/* A program's first stack: argc, no argument, the variables. */
static void make_stack(size_t text_bytes)
{
	unsigned long *bottom = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *text = malloc(text_bytes + sizeof("OTHER=" VALUE));

	check(bottom != MAP_FAILED && text, "memory");
	stack = bottom + (1 << 12);
	strcpy(text, "OTHER=");
	memset(text + 6, '.', text_bytes);
	strcpy(text + 6 + text_bytes, VALUE);
	stack[0] = 0;
	stack[1] = 0;
	stack[2] = (unsigned long)copy;
	stack[3] = (unsigned long)text;
	stack[4] = 0;
}

/* As the supervisor sets the registers. */
static void run(void *code, long fd, unsigned long inode, long flags)
{
	register unsigned long length __asm__("r8") = REGION_BYTES;
	register void (*beginning)(void) __asm__("r11") = begin;

	__asm__ volatile("mov %0, %%rsp\n\t"
			 "mov %2, %%r13\n\t"
			 "mov %3, %%r9\n\t"
			 "mov %4, %%r15\n\t"
			 "mov %5, %%r12\n\t"
			 "mov %5, %%rbp\n\t"
			 "mov %6, %%r10\n\t"
			 "xor %%ebx, %%ebx\n\t"
			 "jmp *%1\n"
			 :
			 : "D"(stack), "S"(code), "d"(fd), "c"(inode), "a"(flags), "r"(length),
			   "r"(beginning)
			 : "memory");
	__builtin_unreachable();
}

int main(int argc, char **argv)
{
	struct sigaction trap = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };
	struct stat status = {};
	const char *how;
	void *code;
	long fd = -1;

	check(argc == 5, "CODE FLAGS HOW BYTES");
	how = argv[3];
	code = read_code(argv[1]);
	make_stack(strtoul(argv[4], NULL, 10));
	sigaction(SIGTRAP, &trap, NULL);
	if (!strcmp(how, "given")) {
		fd = region();
		check(fstat(fd, &status) == 0, "fstat");
	}
	if (!strcmp(how, "alone"))
		lose_listener();
	run(code, fd, status.st_ino, strtol(argv[2], NULL, 10));
}
