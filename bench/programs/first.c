/*
 * Writes CLOCK_MONOTONIC in nanoseconds to standard output, 8 bytes, as its first act: no libc and
 * no dynamic loader stand before it. With an argument it then waits until it is killed.
 */
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>

#if !defined(__x86_64__)
#error "written for x86-64"
#endif

static long call(long number, long a, long b, long c)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return result;
}

/* The kernel enters with argc on top of the stack; System V ABI, x86-64 supplement, 3.4.1. */
__attribute__((used)) static void begin(const long *stack)
{
	struct timespec now;
	uint64_t ns;

	call(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0);
	ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	call(SYS_write, 1, (long)&ns, sizeof(ns));
	while (stack[0] > 1)
		call(SYS_pause, 0, 0, 0);
	call(SYS_exit_group, 0, 0, 0);
}

__asm__(".globl _start\n"
	"_start:\n"
	"	mov %rsp, %rdi\n"
	"	and $-16, %rsp\n"
	"	call begin\n");
