import { runsAsRoot } from "@svc/testing";

const NOBODY = 65_534;

/** The user that programs have who start as `unprivileged` says. */
export const unprivilegedUser = runsAsRoot() ? NOBODY : (process.getuid?.() ?? NOBODY);

/**
 * Options of testdata/starts-as.c for a user without capabilities. Root becomes one; an ordinary
 * user is one.
 */
export const unprivileged: readonly string[] = runsAsRoot() ? ["-U", String(NOBODY)] : [];
