import { VaultError } from "../errors/vault-error.ts";
import { badResponse, memberReader, successEnvelope } from "../http/envelope.ts";
import { call, type VaultCaller } from "../http/vault-caller.ts";
import type { VaultRequest, VaultResponse } from "../http/vault-request.ts";
import type { Secret } from "../values/secret.ts";
import { metadataPathOf, parseSecretPath } from "./secret-path.ts";

/** The state of one version of a KV v2 secret. */
export interface VersionState {
  readonly createdTime: string;
  /** RFC 3339; empty when not deleted. May lie in the future. */
  readonly deletionTime: string;
  readonly destroyed: boolean;
}

/** The facts about a KV v2 secret that need no read of a value. */
export interface SecretMetadata {
  readonly currentVersion: number;
  readonly versions: ReadonlyMap<number, VersionState>;
}

/**
 * GET /v1/<mount>/metadata/<path>, asked for by the data path.
 * @throws VaultError `INVALID_INPUT` when the path has no `data` segment
 */
export async function readMetadata(
  caller: VaultCaller,
  token: Secret,
  dataPath: string,
): Promise<SecretMetadata> {
  const path = metadataPathOf(parseSecretPath(dataPath));
  if (path === undefined) {
    throw new VaultError("INVALID_INPUT", `read metadata of ${dataPath}: not a KV v2 path`, {
      path: dataPath,
      hint: "only a path of the form <mount>/data/<path> has metadata",
    });
  }
  const request: VaultRequest = {
    operation: `read ${path.text}`,
    method: "GET",
    target: path.encoded,
    path: path.text,
    token,
    hints: { DENIED: `the policy must grant read on "${path.text}" too` },
  };
  return call(caller, request, (response) => acceptMetadata(request, response));
}

function acceptMetadata(request: VaultRequest, response: VaultResponse): SecretMetadata {
  const data = successEnvelope(request, response).member("data");
  const currentVersion = memberReader(request, data, "data").number("current_version");
  const versions = data?.member("versions");
  if (versions?.kind !== "object") {
    throw badResponse(request, "data.versions is not a JSON object");
  }
  const states = versions.keys().map((number): [number, VersionState] => {
    const reader = memberReader(request, versions.member(number), `data.versions.${number}`);
    return [
      Number(number),
      {
        createdTime: reader.string("created_time"),
        deletionTime: reader.string("deletion_time"),
        destroyed: reader.boolean("destroyed"),
      },
    ];
  });
  return { currentVersion, versions: new Map(states) };
}
