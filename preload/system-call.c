/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's calling convention; syscall(2), "Architecture calling conventions". */
#include "system-call.h"

#include <stdarg.h>

#if defined(__x86_64__)

static long call_kernel(long number, const long *words)
{
	register long fourth __asm__("r10") = words[3];
	register long fifth __asm__("r8") = words[4];
	register long sixth __asm__("r9") = words[5];
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(words[0]), "S"(words[1]), "d"(words[2]), "r"(fourth),
			   "r"(fifth), "r"(sixth)
			 : "rcx", "r11", "memory");
	return result;
}

#elif defined(__aarch64__)

static long call_kernel(long number, const long *words)
{
	register long which __asm__("x8") = number;
	register long first __asm__("x0") = words[0];
	register long second __asm__("x1") = words[1];
	register long third __asm__("x2") = words[2];
	register long fourth __asm__("x3") = words[3];
	register long fifth __asm__("x4") = words[4];
	register long sixth __asm__("x5") = words[5];

	__asm__ volatile("svc 0"
			 : "+r"(first)
			 : "r"(which), "r"(second), "r"(third), "r"(fourth), "r"(fifth), "r"(sixth)
			 : "memory");
	return first;
}

#endif

long system_call(long number, ...)
{
	long words[6];
	va_list list;

	va_start(list, number);
	for (int index = 0; index < 6; index++)
		words[index] = va_arg(list, long);
	va_end(list);
	return call_kernel(number, words);
}
