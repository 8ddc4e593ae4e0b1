/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* The registers of a system call: those that the programs use, as kernel.h has structures. */
#ifndef SVC_REGISTERS_H
#define SVC_REGISTERS_H

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

#if defined(__TARGET_ARCH_x86)
struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di;
	unsigned long orig_ax, ip, cs, flags, sp, ss;
};
#elif defined(__TARGET_ARCH_arm64)
struct pt_regs {
	unsigned long regs[31];
	unsigned long pstate;
	unsigned long orig_x0;
	int syscallno;
};
#else
#error "the registers of this architecture are not known"
#endif

#pragma clang attribute pop

#endif
