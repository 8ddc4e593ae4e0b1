/*
 * Has a loader and no libc, as Go programs built with -buildmode=pie. Prints DB_PASSWORD, ends with
 * 7.
 */
#include <sys/syscall.h>

static const char name[] = "DB_PASSWORD=";

static long call(long number, long first, const void *second, long third)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(first), "S"(second), "d"(third)
			 : "rcx", "r11", "memory");
	return result;
}

static const char *value_in(const char *entry)
{
	for (const char *letter = name; *letter; letter++, entry++)
		if (*letter != *entry)
			return 0;
	return entry;
}

__attribute__((used)) static void begin(long *stack)
{
	for (char **slot = (char **)stack + stack[0] + 2; *slot; slot++) {
		const char *value = value_in(*slot);
		long length = 0;

		while (value && value[length])
			length++;
		if (value)
			call(SYS_write, 1, value, length);
	}
	call(SYS_exit_group, 7, 0, 0);
}

__asm__(".globl _start\n_start:\n\tmov %rsp, %rdi\n\tandq $-16, %rsp\n\tcall begin\n");
