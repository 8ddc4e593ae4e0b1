# repoint.x64.s for AArch64. x0: first slot of envp; x1: the region; x2: its end.
# Not x7: its tracer cannot restore it (report_syscall of arch/arm64/kernel/ptrace.c).
        .text
slot:   ldr     x4, [x0]
        cbz     x4, done
        mov     x5, x1
entry:  cmp     x5, x2
        b.hs    next
        ldrb    w6, [x5]
        cbz     w6, next
        mov     x10, #0
same:   ldrb    w6, [x5, x10]
        ldrb    w9, [x4, x10]
        cmp     w6, w9
        b.ne    other
        add     x10, x10, #1
        cbnz    w6, same
        str     x5, [x0]
name:   ldrb    w6, [x4], #1
        cmp     w6, #'='
        b.ne    name
wipe:   ldrb    w6, [x4]
        cbz     w6, next
        strb    wzr, [x4], #1
        b       wipe
other:  ldrb    w6, [x5], #1
        cbnz    w6, other
        b       entry
next:   add     x0, x0, #8
        b       slot
done:   mov     x0, #-1
        mov     x8, #57
        svc     #0
