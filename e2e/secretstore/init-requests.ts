const secret = "secrets/svc-vault-init";

/** The requests by which a run looks at the Secret and at the store. */
const look = [`GET ${secret}`, "GET pods?limit=500", "GET sys/seal-status"];

const trial = `PUT ${secret}?dryRun=All`;

/** How a run changes the Secret once the keys are in it. */
const amend = [`GET ${secret}`, trial, `PUT ${secret}`, `GET ${secret}`];

const keysObtained = [
  ...look,
  "POST secrets",
  ...look,
  trial,
  "POST secrets?dryRun=All",
  // The note with the sender of the initialisation, and its pod.
  `PUT ${secret}`,
  "GET sys/seal-status",
  "PUT sys/init",
  `GET ${secret}`,
  `PUT ${secret}`,
  `GET ${secret}`,
];

const opened = [
  ...["GET pods?limit=500", "GET sys/seal-status"],
  ...["GET sys/seal-status", "PUT sys/unseal", "PUT sys/unseal"],
  ...["GET pods?limit=500", "GET sys/seal-status"],
  "GET sys/health",
];

/** The other pods are opened after the set-up. */
const othersOpened = [
  ...["GET pods?limit=500", "GET sys/seal-status"],
  ...["GET pods?limit=500", "GET sys/seal-status"],
];

const setUp = [
  "GET auth/token/lookup-self",
  ...["GET sys/mounts", "POST sys/mounts/secret", "GET sys/mounts", "GET secret/config"],
  ...["GET sys/auth", "POST sys/auth/kubernetes", "GET sys/auth"],
  ...madeAt("auth/kubernetes/config"),
  ...madeAt("sys/policies/acl/svc"),
  ...madeAt("auth/kubernetes/role/svc"),
  "GET sys/auth/kubernetes/tune",
];

const revoked = [
  ...amend,
  ...["POST auth/token/revoke-self", "GET auth/token/lookup-self"],
  ...amend,
];

const checked = ["GET sys/health", `GET ${secret}`];

const untilSetUp = [
  ...keysObtained,
  ...opened,
  "GET sys/seal-status",
  ...amend,
  ...setUp,
  // The digest of the settings.
  ...amend,
  ...othersOpened,
];

/** The requests of `svc secretstore init` to a new store of one node, in their order. */
export const initRequests: readonly string[] = [...untilSetUp, ...checked];

/** The same with `--revoke-root`. */
export const revokingRequests: readonly string[] = [...untilSetUp, ...revoked, ...checked];

/** The number of the first request of the revocation. */
export const FIRST_OF_REVOCATION = untilSetUp.length + 1;

/**
 * The numbers between which the keys are in the process alone: the initialisation, and the Secret's
 * update.
 */
export const INITIALISATION = initRequests.indexOf("PUT sys/init") + 1;
export const KEEPING = initRequests.indexOf(`PUT ${secret}`, INITIALISATION) + 1;

function madeAt(path: string): readonly string[] {
  return [`GET ${path}`, `POST ${path}`, `GET ${path}`];
}
