// As prepare.x64.s, with these registers:
//
//   x19  the descriptor or -1
//   x20  the length of the region
//   x21  the inode of the region
//   x22  flags
//   x23  the start of the slot of the current generation
//   x24  the length of a slot
//   x26  the address that the program begins at
//
// Leaves the address or the negative errno in x0, the end of the slots in x1, and the descriptor in
// x19. x23 then tells whether another variable holds a value.
        .text
        tbz     w19, #31, given
        mov     x0, #0
        mov     x1, #0
        mov     x2, #0
        mov     x8, #221
        svc     #0
        tbnz    x0, #63, out
        mov     x19, x0
        b       map
given:  mov     x0, x19
        sub     x1, sp, #1024
        mov     x8, #80
        svc     #0
        tbnz    x0, #63, out
        sub     x1, sp, #1016
        ldr     x2, [x1]
        mov     x0, #-9
        cmp     x2, x21
        b.ne    out
map:    mov     x0, #0
        mov     x1, x20
        mov     x2, #3
        mov     x3, #1
        mov     x4, x19
        mov     x5, #0
        mov     x8, #222
        svc     #0
        mov     x25, x0
        tbz     w22, #1, mapped
        mov     x0, x19
        mov     x8, #57
        svc     #0
mapped: mov     x0, x25
        cmn     x0, #4095
        b.hs    out
        tbz     w22, #0, range
        mov     x1, x20
        mov     x8, #228
        svc     #0
        tbz     x0, #63, nodump
        tbz     w22, #2, nodump
        mov     x21, x0
        mov     x0, x25
        mov     x1, x20
        mov     x8, #215
        svc     #0
        mov     x0, x21
        b       out
nodump: mov     x0, x25
        mov     x1, x20
        mov     x2, #16
        mov     x8, #233
        svc     #0
range:  ldr     x0, [sp]
        add     x1, sp, x0, lsl #3
        add     x1, x1, #16
        add     x2, x25, x23
        add     x3, x2, x24
slot:   ldr     x4, [x1]
        cbz     x4, done
        sub     x6, x4, x25
        cmp     x6, x20
        b.lo    next
        mov     x5, x2
entry:  cmp     x5, x3
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
        str     x5, [x1]
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
next:   add     x1, x1, #8
        b       slot
done:   cbz     x23, finish
        mov     x23, #0
        b       range
finish: mov     w11, #1 << 22
        mov     x5, x25
        add     x3, x25, x24
value:  cmp     x5, x3
        b.hs    whole
        ldrb    w6, [x5]
        cbz     w6, whole
skip:   ldrb    w6, [x5], #1
        cmp     w6, #'='
        b.ne    skip
        mov     x10, #0
eight:  ldrb    w6, [x5, x10]
        cbz     w6, none
        add     x10, x10, #1
        cmp     x10, #8
        b.lo    eight
        ldr     x12, [x5]
        ldr     x0, [sp]
        add     x13, sp, x0, lsl #3
        add     x13, x13, #16
text:   ldr     x4, [x13], #8
        cbz     x4, none
        sub     x6, x4, x25
        cmp     x6, x20
        b.lo    text
look:   ldr     x6, [x4]
        cmp     x6, x12
        b.eq    alike
on:     ldrb    w6, [x4], #1
        cbz     w6, text
        subs    w11, w11, #1
        b.ne    look
        b       whole
alike:  mov     x10, #8
rest:   ldrb    w6, [x5, x10]
        cbz     w6, copy
        ldrb    w9, [x4, x10]
        cmp     w6, w9
        b.ne    on
        add     x10, x10, #1
        b       rest
copy:   mov     x23, #1
        b       whole
none:   ldrb    w6, [x5], #1
        cbnz    w6, none
        b       value
whole:  mov     x0, x25
out:    tbz     w22, #3, stop
        cmn     x0, #4095
        b.hs    tell
        cbz     x23, begin
        mov     x0, #-17
tell:   cmn     x0, #38
        b.eq    alone
        mov     x1, x0
        mov     x0, #0
        mov     x2, #0
        mov     x8, #221
        svc     #0
        cmn     x0, #38
        b.eq    alone
// A return instead of a branch: the program's beginning may lack a landing pad (BTI).
begin:  mov     x16, x26
        mov     x0, #0
        mov     x1, #0
        mov     x2, #0
        mov     x3, #0
        mov     x4, #0
        mov     x5, #0
        mov     x6, #0
        mov     x7, #0
        mov     x8, #0
        mov     x9, #0
        mov     x10, #0
        mov     x11, #0
        mov     x12, #0
        mov     x13, #0
        mov     x14, #0
        mov     x15, #0
        mov     x17, #0
        mov     x18, #0
        mov     x19, #0
        mov     x20, #0
        mov     x21, #0
        mov     x22, #0
        mov     x23, #0
        mov     x24, #0
        mov     x25, #0
        mov     x26, #0
        mov     x27, #0
        mov     x28, #0
        mov     x29, #0
        mov     x30, #0
        ret     x16
alone:  mov     x0, #125
        mov     x8, #94
        svc     #0
stop:   brk     #0
