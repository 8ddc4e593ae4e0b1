import type { DevStore } from "@svc/devstore";
import { kvPathText } from "@svc/settings";

type Environment = Readonly<Record<string, string | undefined>>;

// `svc dev` sets the variables for the source of secrets. Those for the delivery stay.
// Other names that begin with VAULT_ belong to the program.
const replaced = new RegExp(
  `^(?:${[
    "VAULT_(?:ADDR|TOKEN|TOKEN_FILE|AUTH_METHOD|AUTH_ROLE|AUTH_MOUNT_PATH|NAMESPACE)",
    "VAULT_(?:SKIP_VERIFY|CACERT|CAPATH|CLIENT_(?:CERT|KEY|TIMEOUT)|TLS_SERVER_NAME)",
    "SVC_SECRET_PATHS|SECRET_PATHS|SVC_ORIGINAL_CMD|SVC_ORIGINAL_ARGS",
  ].join("|")})$`,
);

const ours = /^(?:SVC_ENV_MAP|HEALTH_ADDR)$/;

/**
 * The wrapper's environment for a development run: the store's address and token, every field of
 * every secret under its own name unless SVC_ENV_MAP says otherwise, and any free health port.
 */
export function wrapperEnvironment(
  environment: Environment,
  store: Pick<DevStore, "address" | "token">,
  paths: readonly string[],
): Environment {
  const kept = Object.entries(environment).filter(
    // An empty variable counts as not set, as for the wrapper.
    ([name, value]) => !replaced.test(name) && !(ours.test(name) && value === ""),
  );
  return {
    SVC_ENV_MAP: paths.map(() => "*=*").join(";"),
    HEALTH_ADDR: "127.0.0.1:0",
    ...Object.fromEntries(kept),
    VAULT_ADDR: store.address,
    VAULT_TOKEN: store.token,
    SVC_SECRET_PATHS: paths.map((path) => kvPathText({ path })).join(","),
  };
}
