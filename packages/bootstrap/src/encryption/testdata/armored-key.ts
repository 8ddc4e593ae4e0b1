/** A public key for Ed25519 signatures with a subkey for X25519 encryption, as gpg 2.2 exports it. */
export const armoredKey = `-----BEGIN PGP PUBLIC KEY BLOCK-----

mDMEawGg9xYJKwYBBAHaRw8BAQdA/Uo9t0MtDqlrK+jVnKiW6tNGcYMIrV7oATzQ
Smo+mJq0C0VjYyA8ZWNjQHg+iJAEExYIADgWIQTf+d2rvWr/4piVcwI+3BzOaClk
iwUCawGg9wIbAwULCQgHAgYVCgkICwIEFgIDAQIeAQIXgAAKCRA+3BzOaClkiymI
AP9XNJHnfSjrf2VpY5Ku7Pr+9VDpjIWtOonru711vm2oLQD+I8ge9gEWzr4KBRID
leBn2tXBK7Q9gSZuHAmOi9i31Ae4OARrAaD3EgorBgEEAZdVAQUBAQdAlUh3AUE9
+9dk3wDzY76JXGtuljeMCRpR1FOdjJYbtzsDAQgHiHgEGBYIACAWIQTf+d2rvWr/
4piVcwI+3BzOaClkiwUCawGg9wIbDAAKCRA+3BzOaClki71zAP0d0N0zHANNO7Bf
nCGx6wz23d8mbuv/nIupB08x9ASMywEA1l6e4xxRrCs0ay4ugWFuRkboXT0XzI8I
+QMZtmCU3Ao=
=bZsS
-----END PGP PUBLIC KEY BLOCK-----
`;
