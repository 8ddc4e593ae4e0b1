# Runs in a program that stands behind its execve, before its first instruction. Maps the region of
# the secrets, points the environment's slots that hold a copy of an entry at that entry, and wipes
# the copy. It compares values in place: the tracer never reads one. Ends in int3, or at the
# program's beginning.
#
#   r13  the region's descriptor, or -1: then it asks the tracer for it by an execve without a path
#   r12  the length of the region
#   r9   the inode of the region, which it checks
#   r10  the address that the program begins at
#   r15  flags: 1 locks the pages and leaves them out of dumps, 2 closes the descriptor, 4 fails if
#        the kernel does not lock the pages, 8 goes to the program's beginning
#   rbx  the start of the slot of the current generation
#   rbp  the length of a slot
#
# Leaves the address or the negative errno in rax, the end of the slots in rdi, and the descriptor in
# r13. rbx then tells whether another variable holds a value. On its way to the program's beginning it
# reports the errno by another execve without a path, and EEXIST if another variable holds a value.
        .intel_syntax noprefix
        .text
        mov     [rsp - 16], r10
        test    r13d, r13d
        jns     given
        xor     edi, edi
        xor     esi, esi
        xor     edx, edx
        mov     eax, 59
        syscall
        test    eax, eax
        js      out
        mov     r13d, eax
        jmp     map
given:  mov     edi, r13d
        lea     rsi, [rsp - 1024]
        mov     eax, 5
        syscall
        cdqe
        test    eax, eax
        js      out
        mov     rax, -9
        cmp     [rsp - 1016], r9
        jne     out
map:    xor     edi, edi
        mov     rsi, r12
        mov     edx, 3
        mov     r10d, 1
        mov     r8d, r13d
        xor     r9d, r9d
        mov     eax, 9
        syscall
        mov     r14, rax
        test    r15d, 2
        jz      mapped
        mov     edi, r13d
        mov     eax, 3
        syscall
mapped: mov     rax, r14
        cmp     rax, -4095
        jae     out
        test    r15d, 1
        jz      range
        mov     rdi, r14
        mov     rsi, r12
        mov     eax, 149
        syscall
        test    eax, eax
        jns     nodump
        test    r15d, 4
        jz      nodump
        mov     rdi, r14
        mov     rsi, r12
        mov     r14, rax
        mov     eax, 11
        syscall
        mov     rax, r14
        jmp     out
nodump: mov     rdi, r14
        mov     rsi, r12
        mov     edx, 16
        mov     eax, 28
        syscall
range:  mov     rax, [rsp]
        lea     rdi, [rsp + 8*rax + 16]
        lea     rsi, [r14 + rbx]
        lea     rdx, [rsi + rbp]
slot:   mov     r8, [rdi]
        test    r8, r8
        jz      done
        mov     rax, r8
        sub     rax, r14
        cmp     rax, r12
        jb      next
        mov     r9, rsi
entry:  cmp     r9, rdx
        jae     next
        cmp     byte ptr [r9], 0
        je      next
        xor     ecx, ecx
same:   mov     al, [r9 + rcx]
        cmp     al, [r8 + rcx]
        jne     other
        inc     rcx
        test    al, al
        jnz     same
        mov     [rdi], r9
name:   mov     al, [r8]
        inc     r8
        cmp     al, '='
        jne     name
wipe:   cmp     byte ptr [r8], 0
        je      next
        mov     byte ptr [r8], 0
        inc     r8
        jmp     wipe
other:  mov     al, [r9]
        inc     r9
        test    al, al
        jnz     other
        jmp     entry
next:   add     rdi, 8
        jmp     slot
done:   test    rbx, rbx
        jz      finish
        xor     ebx, ebx
        jmp     range
# Does another variable hold a value of 8 bytes or more? The limit of the search in bytes.
finish: mov     esi, 1 << 22
        mov     r9, r14
        lea     rdx, [r14 + rbp]
value:  cmp     r9, rdx
        jae     whole
        cmp     byte ptr [r9], 0
        je      whole
skip:   mov     al, [r9]
        inc     r9
        cmp     al, '='
        jne     skip
        xor     ecx, ecx
eight:  cmp     byte ptr [r9 + rcx], 0
        je      none
        inc     ecx
        cmp     ecx, 8
        jb      eight
        mov     r11, [r9]
        mov     rax, [rsp]
        lea     r10, [rsp + 8*rax + 16]
text:   mov     r8, [r10]
        test    r8, r8
        jz      none
        add     r10, 8
        mov     rax, r8
        sub     rax, r14
        cmp     rax, r12
        jb      text
look:   cmp     [r8], r11
        je      alike
on:     cmp     byte ptr [r8], 0
        je      text
        inc     r8
        dec     esi
        jnz     look
        jmp     whole
alike:  mov     ecx, 8
rest:   mov     al, [r9 + rcx]
        test    al, al
        jz      copy
        cmp     al, [r8 + rcx]
        jne     on
        inc     ecx
        jmp     rest
copy:   mov     ebx, 1
        jmp     whole
none:   cmp     byte ptr [r9], 0
        lea     r9, [r9 + 1]
        jne     none
        jmp     value
whole:  mov     rax, r14
out:    test    r15d, 8
        jz      stop
        cmp     rax, -4095
        jae     tell
        test    ebx, ebx
        jz      begin
        mov     rax, -17
tell:   cmp     eax, -38
        je      alone
        mov     rsi, rax
        xor     edi, edi
        xor     edx, edx
        mov     eax, 59
        syscall
        cmp     eax, -38
        je      alone
begin:  xor     eax, eax
        xor     ebx, ebx
        xor     ecx, ecx
        xor     edx, edx
        xor     esi, esi
        xor     edi, edi
        xor     ebp, ebp
        xor     r8d, r8d
        xor     r9d, r9d
        xor     r10d, r10d
        xor     r11d, r11d
        xor     r12d, r12d
        xor     r13d, r13d
        xor     r14d, r14d
        xor     r15d, r15d
        jmp     [rsp - 16]
# ENOSYS: its listener is gone, and with it the wrapper.
alone:  mov     edi, 125
        mov     eax, 231
        syscall
stop:   int3
