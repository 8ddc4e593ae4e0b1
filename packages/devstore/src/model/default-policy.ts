import type { PolicyRule } from "./policy.ts";

/** The part of OpenBao's built-in `default` policy whose paths this store has. */
export const DEFAULT_POLICY: readonly PolicyRule[] = [
  { path: "auth/token/lookup-self", capabilities: ["read"] },
  { path: "auth/token/renew-self", capabilities: ["update"] },
  { path: "auth/token/revoke-self", capabilities: ["update"] },
  { path: "sys/leases/renew", capabilities: ["update"] },
  { path: "sys/leases/lookup", capabilities: ["update"] },
];
