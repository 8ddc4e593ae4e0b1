/** Every way in which the wrapper itself fails, with the exit status and what to do about it. */
export const wrapperErrorCatalogue = {
  SETTINGS_INVALID: {
    meaning: "a setting is missing, malformed or contradicts another one",
    hint: "every problem is listed by variable; see docs/reference/settings.md",
    exitCode: 125,
  },
  VAULT_FAILED: {
    meaning: "the vault could not be reached, or refused the login or a secret",
    hint: "the message carries the vault client's own code",
    exitCode: 125,
  },
  FILE_UNREADABLE: {
    meaning: "a file that holds a secret (`file:/path`) cannot be read, or holds none",
    hint: "check that the file is there, that the wrapper's user may read it, and that it is a regular file or a folder of such",
    exitCode: 125,
  },
  TOKEN_UNREADABLE: {
    meaning: "the token, the JWT or the secret id cannot be read",
    hint: "check VAULT_TOKEN, VAULT_TOKEN_FILE, SVC_AUTH_JWT_PATH, VAULT_APPROLE_SECRET_ID_FILE or VAULT_USERPASS_PASSWORD_FILE, and that the pod mounts the file",
    exitCode: 125,
  },
  AGENT_GIVES_NO_TOKEN: {
    meaning: "the agent of the node gives the wrapper no token of the service account",
    hint: "the agent's log and its event `agent_refused_login` say why; after an agent's start the kubelet hands it the tokens within two minutes",
    exitCode: 125,
  },
  TOKEN_REFUSED: {
    meaning:
      "the vault does not know the token: it has expired, was revoked, or is another vault's",
    hint: "give a new token: VAULT_TOKEN, VAULT_TOKEN_FILE, or POST /v1/unseal in sealed mode",
    exitCode: 125,
  },
  FIELD_MISSING: {
    meaning: "a secret does not have the field that is mapped",
    hint: "correct SVC_ENV_MAP or add the field to the secret",
    exitCode: 125,
  },
  VALUE_REFUSED: {
    meaning:
      "a value cannot be delivered: null, a NUL byte, still a reference, or too large for a file",
    hint: "store the final value; SVC_ALLOW_REFERENCES=true lets references through",
    exitCode: 125,
  },
  VARIABLE_REFUSED: {
    meaning: "with * a field gives a name that no variable can have, or one that is reserved",
    hint: "rename the field, or name the fields one by one: field=VARIABLE for *",
    exitCode: 125,
  },
  VARIABLE_DUPLICATE: {
    meaning: "two fields are delivered under one variable",
    hint: "rename one of them in SVC_ENV_MAP",
    exitCode: 125,
  },
  NOTHING_TO_DELIVER: {
    meaning: "the mapping gives neither a variable nor a file",
    hint: "the secrets that *=* names have no fields",
    exitCode: 125,
  },
  FILE_PLACE_IMPOSSIBLE: {
    meaning:
      "a file of SVC_FILE_MAP cannot be at its path: its folder is in use, or the wrapper may not mount",
    hint: "name a file in an empty folder, and give the wrapper CAP_SYS_ADMIN; docs/guides/secret-files.md has the places that allow it",
    exitCode: 125,
  },
  FILE_UNWRITTEN: {
    meaning: "a file of SVC_FILE_MAP could not be written to its memory",
    hint: "the program may have filled that memory; owner= takes CAP_CHOWN",
    exitCode: 125,
  },
  MEMFD_SECRET_UNAVAILABLE: {
    meaning: "SVC_REQUIRE_MEMFD_SECRET is true and the kernel has no memfd_secret",
    hint: "Linux 5.14 has it; before 6.5 boot with secretmem.enable=1",
    exitCode: 125,
  },
  MLOCK_FAILED: {
    meaning: "SVC_REQUIRE_MLOCK is true and the memory that holds values cannot be locked",
    hint: "raise RLIMIT_MEMLOCK (ulimit -l, LimitMEMLOCK=): 64 KiB hold a few short secrets; or grant CAP_IPC_LOCK",
    exitCode: 125,
  },
  MEMORY_LOCK_LIMIT: {
    meaning: "the secrets must be in locked memory, and this process may not lock that size",
    hint: "raise RLIMIT_MEMLOCK (ulimit -l, LimitMEMLOCK=), grant CAP_IPC_LOCK, or require neither mlock nor memfd_secret",
    exitCode: 125,
  },
  DELIVERY_IMPOSSIBLE: {
    meaning: "the delivery that SVC_DELIVERY asks for does not work for this program",
    hint: "use SVC_DELIVERY=auto",
    exitCode: 125,
  },
  DELIVERY_FAILED: {
    meaning: "the wrapper could not put the secrets into the started program, and killed it",
    hint: "please report it with the log; SVC_DELIVERY=preload or env uses another way",
    exitCode: 125,
  },
  HINTS_UNANSWERED: {
    meaning: "the operator gave no answer that can be used to a subscription to hints",
    hint: "the operator's log says why; the wrapper asks again, and checks by itself meanwhile",
    exitCode: 125,
  },
  PERMIT_UNANSWERED: {
    meaning: "the operator gave no answer that can be used about a permit to rotate",
    hint: "the operator's log says why; the wrapper asks again, and rotates alone after some minutes",
    exitCode: 125,
  },
  RESTART_NEEDED: {
    meaning: "the new values cannot be put into the running program, which keeps its values",
    hint: "start the program again; SVC_ROTATION=restart does so by itself",
    exitCode: 125,
  },
  SECRET_OUTDATED: {
    meaning:
      "a secret was read in an older version than the program's, which keeps its values, or starts later",
    hint: "a standby node of the vault is behind: the wrapper reads again, and takes the older version after a minute",
    exitCode: 125,
  },
  ENVIRONMENT_TOO_LARGE: {
    meaning: "the secrets do not fit into the environment of a program",
    hint: "Linux allows 128 KiB a variable and a quarter of the stack limit in all; use SVC_DELIVERY=preload or the library",
    exitCode: 125,
  },
  PROGRAM_NOT_FOUND: {
    meaning: "the program, or the interpreter that it names, does not exist",
    hint: "check the path, PATH and the #! line",
    exitCode: 127,
  },
  PROGRAM_NOT_EXECUTABLE: {
    meaning: "the program exists and cannot be executed",
    hint: "check its mode and owner, its architecture, and that a script starts with #!",
    exitCode: 126,
  },
  AGENT_REQUIRED: {
    meaning: "SVC_REQUIRE_AGENT is true and the kernel agent has not registered the program",
    hint: "check that svc-agent runs on this node, and that its socket is mounted at SVC_EBPF_AGENT_ADDR",
    exitCode: 125,
  },
  PROCESS_LIMIT: {
    meaning: "no further process may be started here",
    hint: "the wrapper needs two processes beside the program's: raise pids.max or ulimit -u",
    exitCode: 125,
  },
  HEALTH_PORT_UNAVAILABLE: {
    meaning: "the health server cannot listen at HEALTH_ADDR",
    hint: "give HEALTH_ADDR an address of this machine and a free port, or HEALTH_ADDR=off if no probe and no unsealing is wanted",
    exitCode: 125,
  },
  START_DEADLINE: {
    meaning: "the courier hung, or was stopped, until SVC_START_DEADLINE was over",
    hint: "look for the cause: a debugger, a frozen cgroup, a file system or name server that does not answer",
    exitCode: 125,
  },
  DESCRIPTOR_LIMIT: {
    meaning: "no further file may be opened here",
    hint: "the wrapper needs 32 descriptors beside inherited ones: raise RLIMIT_NOFILE (ulimit -n, LimitNOFILE=)",
    exitCode: 125,
  },
  SYSTEM_CALL_REFUSED: {
    meaning: "the kernel refuses a system call for which the wrapper has no other one",
    hint: "a seccomp profile must allow it (docs/guides/seccomp.md), and limits of memory and of file sizes must leave room",
    exitCode: 125,
  },
  COURIER_ENDED: {
    meaning: "the courier, which fetches the secrets, ended before it could say why",
    hint: "the lines before this one may say why; a signal, and limits of processes or memory, are the usual reasons",
    exitCode: 125,
  },
  OUT_OF_MEMORY: {
    meaning:
      "no memory is left: of the 64 MiB for everything but values, or of a limit on the process",
    hint: "raise RLIMIT_DATA, RLIMIT_AS or RLIMIT_STACK (ulimit -d, -v, -s), or deliver fewer variables: 20,000 fit; SVC_ENV_MAP can name the fields instead of *=*",
    exitCode: 125,
  },
  INTERNAL: {
    meaning: "the wrapper met something that it does not expect",
    hint: "please report it with the log",
    exitCode: 125,
  },
} as const satisfies Record<string, ErrorMeaning>;

interface ErrorMeaning {
  readonly meaning: string;
  readonly hint: string;
  readonly exitCode: 125 | 126 | 127;
}

export type WrapperErrorCode = keyof typeof wrapperErrorCatalogue;
