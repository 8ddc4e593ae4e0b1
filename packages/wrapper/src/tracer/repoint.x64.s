# Points the environment's slots that hold a copy of a region's entry at that entry, and wipes the copy.
# rdi: first slot of envp; rsi: the region; rdx: its end. Runs in the traced program, so that values
# are compared where they are; its tracer never reads one. Ends in close(-1), which the tracer waits for.
        .intel_syntax noprefix
        .text
slot:   mov     r8, [rdi]
        test    r8, r8
        jz      done
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
done:   or      rdi, -1
        mov     eax, 3
        syscall
