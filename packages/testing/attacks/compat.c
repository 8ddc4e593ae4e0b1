/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls as code makes them that was not compiled for this machine's 64 bits, or not by a
 * compiler.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attack.h"

#if defined(__x86_64__)

/* The kernel looks at the lower half of the register with the number only. */
static long open_by_wide_number(const char *path)
{
	register long flags __asm__("r10") = 0;
	long fd;

	__asm__ volatile("syscall"
			 : "=a"(fd)
			 : "a"(1L << 32 | SYS_openat), "D"((long)AT_FDCWD), "S"(path),
			   "d"((long)O_RDONLY), "r"(flags)
			 : "rcx", "r11", "memory");
	return fd;
}

/* By the numbers of 32-bit programs, from a program of 64 bits. */
static long attach_by_32_bits(const struct prey *prey)
{
	long result;

	__asm__ volatile("int $0x80" : "=a"(result)
			 : "a"(26L), "b"((long)PTRACE_ATTACH), "c"((long)prey->pid), "d"(0L), "S"(0L)
			 : "memory", "r8", "r9", "r10", "r11");
	errno = result < 0 ? -result : 0;
	if (result < 0)
		return -1;
	if (waitpid(prey->pid, NULL, __WALL) == prey->pid)
		ptrace(PTRACE_DETACH, prey->pid, NULL, NULL);
	return 0;
}

#elif defined(__aarch64__)

/* As above. */
static long open_by_wide_number(const char *path)
{
	register long number __asm__("x8") = 1L << 32 | SYS_openat;
	register long folder __asm__("x0") = AT_FDCWD;
	register const char *name __asm__("x1") = path;
	register long flags __asm__("x2") = O_RDONLY;
	register long mode __asm__("x3") = 0;

	__asm__ volatile("svc #0"
			 : "+r"(folder)
			 : "r"(number), "r"(name), "r"(flags), "r"(mode)
			 : "memory");
	return folder;
}

/*
 * A program of 32 bits, for code of 64 has no way to call by those numbers: it traces the process,
 * releases it, and exits with the errno.
 */
static const uint32_t tracer_code[] = {
	0xe3a00010, /* mov r0, #16: PTRACE_ATTACH */
	0xe59f1050, /* ldr r1, pid */
	0xe3a02000, /* mov r2, #0 */
	0xe3a03000, /* mov r3, #0 */
	0xe3a0701a, /* mov r7, #26: ptrace */
	0xef000000, /* svc #0 */
	0xe2704000, /* rsbs r4, r0, #0 */
	0x1a00000b, /* bne exit */
	0xe59f0034, /* ldr r0, pid */
	0xe3a01000, /* mov r1, #0 */
	0xe3a02101, /* mov r2, #0x40000000: __WALL */
	0xe3a03000, /* mov r3, #0 */
	0xe3a07072, /* mov r7, #114: wait4 */
	0xef000000, /* svc #0 */
	0xe3a00011, /* mov r0, #17: PTRACE_DETACH */
	0xe59f1018, /* ldr r1, pid */
	0xe3a02000, /* mov r2, #0 */
	0xe3a03000, /* mov r3, #0 */
	0xe3a0701a, /* mov r7, #26: ptrace */
	0xef000000, /* svc #0 */
	0xe1a00004, /* exit: mov r0, r4 */
	0xe3a07001, /* mov r7, #1: exit */
	0xef000000, /* svc #0 */
};

struct tracer {
	Elf32_Ehdr header;
	Elf32_Phdr segment;
	uint32_t code[sizeof(tracer_code) / sizeof(tracer_code[0])];
	/* pid: it is the word behind the code. */
	uint32_t pid;
};

#define TRACER_ADDRESS 0x10000

static void fill_in_tracer(struct tracer *tracer, pid_t pid)
{
	*tracer = (struct tracer){
		.header = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2LSB, EV_CURRENT },
			.e_type = ET_EXEC,
			.e_machine = EM_ARM,
			.e_version = EV_CURRENT,
			.e_entry = TRACER_ADDRESS + offsetof(struct tracer, code),
			.e_phoff = offsetof(struct tracer, segment),
			.e_flags = EF_ARM_EABI_VER5,
			.e_ehsize = sizeof(Elf32_Ehdr),
			.e_phentsize = sizeof(Elf32_Phdr),
			.e_phnum = 1,
		},
		.segment = {
			.p_type = PT_LOAD,
			.p_vaddr = TRACER_ADDRESS,
			.p_paddr = TRACER_ADDRESS,
			.p_filesz = sizeof(*tracer),
			.p_memsz = sizeof(*tracer),
			.p_flags = PF_R | PF_X,
			.p_align = PAGE_BYTES,
		},
		.pid = pid,
	};
	memcpy(tracer->code, tracer_code, sizeof(tracer_code));
}

static long end_of(pid_t child)
{
	int status;

	if (child < 0 || waitpid(child, &status, 0) != child)
		return -1;
	errno = WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
	return errno ? -1 : 0;
}

static long attach_by_32_bits(const struct prey *prey)
{
	char *words[] = { "svc-attack", NULL }, *none[] = { NULL };
	int fd = memfd_create("svc-attack", MFD_CLOEXEC);
	struct tracer tracer;
	pid_t child;
	long result;

	fill_in_tracer(&tracer, prey->pid);
	if (fd < 0 || write(fd, &tracer, sizeof(tracer)) != sizeof(tracer))
		return -1;
	child = fork();
	if (!child) {
		fexecve(fd, words, none);
		_exit(errno);
	}
	result = end_of(child);
	close_again(fd);
	return result;
}

#else
#error "no system call is known here"
#endif

static long by_wide_number(const struct prey *prey)
{
	char path[32];
	long fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", prey->pid);
	fd = open_by_wide_number(path);
	errno = fd < 0 ? -fd : 0;
	return read_memory_and_close(fd, prey);
}

const struct attack compat_attacks[] = {
	{ "proc-mem-wide-number", NULL, by_wide_number },
	{ "ptrace-attach-by-int80", NULL, attach_by_32_bits },
	{ 0 },
};
