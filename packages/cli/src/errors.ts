/**
 * Every way in which a command fails, with its exit status (sysexits(3) is not used: 125 is "svc").
 */
export const cliErrorCatalogue = {
  SECRETS_FILE_MISSING: {
    meaning: "there is no secrets file",
    hint: "pass --secrets FILE, or put a .env file into the working directory",
    exitCode: 125,
  },
  SECRETS_FILE_INVALID: {
    meaning: "the secrets file cannot be read or holds mistakes",
    hint: "every problem is listed with its line",
    exitCode: 125,
  },
  WRAPPER_MISSING: {
    meaning: "svc-wrapper is not beside svc",
    hint: "install both, or name it with --wrapper PATH",
    exitCode: 125,
  },
  INPUT_UNUSABLE: {
    meaning: "the text on standard input is not a token or a key share",
    hint: "give it alone on a line, in base64 or hexadecimal as the store printed it",
    exitCode: 125,
  },
  SHARES_MISSING: {
    meaning: "the input ended before the store had as many key shares as it needs",
    hint: "the shares that were given count: the other holders run the same command",
    exitCode: 125,
  },
  SETTING_INVALID: {
    meaning: "a setting of svc secretstore cannot be used; every one has its own error",
    hint: "the message names the variable and its valid values",
    exitCode: 125,
  },
  STOPPED: {
    meaning: "a signal has ended svc secretstore; the exit status is 128 plus its number",
    hint: "run it again to go on",
    exitCode: 130,
  },
  MANIFEST_INVALID: {
    meaning: "a file of manifests cannot be read, or does not contain manifests",
    hint: "give YAML or JSON as kubectl apply takes it",
    exitCode: 125,
  },
  OUTPUT_UNWRITABLE: {
    meaning: "the result could not be written to standard output",
    hint: "the written part is incomplete: do not apply it",
    exitCode: 125,
  },
  CLUSTER_UNREADABLE: {
    meaning: "the API server did not return the objects that svc explain needs",
    hint: "the message names the request; --kubeconfig and --context choose the cluster",
    exitCode: 125,
  },
  OBJECT_MISSING: {
    meaning: "the object to explain is not in the cluster",
    hint: "a pod that was refused was never there: explain the Deployment, StatefulSet or Job that makes it",
    exitCode: 125,
  },
  STORE_FAILED: {
    meaning: "the development store cannot be started",
    hint: "choose another --port",
    exitCode: 125,
  },
} as const satisfies Record<string, { meaning: string; hint: string; exitCode: number }>;

export type CliErrorCode = keyof typeof cliErrorCatalogue;

/** Why a command could not do its work. */
export class CliError extends Error {
  readonly code: CliErrorCode;
  /** One line each; the message is the first of them. */
  readonly problems: readonly string[];

  constructor(code: CliErrorCode, problems: readonly [string, ...string[]], cause?: unknown) {
    super(problems[0], { cause });
    this.name = "CliError";
    this.code = code;
    this.problems = problems;
  }
}
