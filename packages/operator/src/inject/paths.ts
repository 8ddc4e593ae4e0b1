/** The mount of the bundle; it works at no other place. */
export const BUNDLE_FOLDER = "/opt/svc";
/** The program that is put in front of every other. */
export const WRAPPER = `${BUNDLE_FOLDER}/bin/svc-wrapper`;
/** Where pods see the folder of the node with the agent's socket. */
export const AGENT_FOLDER = "/var/run/svc";
/** Where the pod's own service account token is. */
export const ACCOUNT_FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount";
/** Below it are the files that are mounted for the wrapper. */
export const FILES_FOLDER = "/var/run/secrets/svc.internal";
