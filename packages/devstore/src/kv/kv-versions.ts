import type { Call } from "../http/call.ts";
import { validated, versionsField } from "../http/fields.ts";
import { noContent, type StoreResponse } from "../http/responses.ts";
import { refuse } from "../model/errors.ts";
import { changeVersions, isGone, type KvMount, type KvVersion } from "../model/kv-secret.ts";

/** `POST <mount>/delete/<path>` with `versions`: a soft delete of these. */
export function deleteVersions(call: Call, mount: KvMount): StoreResponse {
  return change(call, mount, "No version number provided", (version) =>
    isGone(version, call.now) ? version : { ...version, deletedMs: call.now },
  );
}

/** `POST <mount>/undelete/<path>` with `versions`; destroyed ones stay as they are. */
export function undeleteVersions(call: Call, mount: KvMount): StoreResponse {
  return change(call, mount, "No version number provided", (version) =>
    version.destroyed ? version : { ...version, deletedMs: undefined },
  );
}

/** `POST <mount>/destroy/<path>` with `versions`: their data is gone for good. */
export function destroyVersions(call: Call, mount: KvMount): StoreResponse {
  return change(call, mount, "no version number provided", (version) => ({
    ...version,
    destroyed: true,
    data: null,
  }));
}

function change(
  call: Call,
  mount: KvMount,
  nothing: string,
  apply: (version: KvVersion) => KvVersion,
): StoreResponse {
  const numbers = validated(() => versionsField(call.body));
  if (numbers.length === 0) refuse(400, nothing);
  const secret = mount.secrets.get(call.rest);
  if (secret !== undefined) mount.secrets.set(call.rest, changeVersions(secret, numbers, apply));
  return noContent();
}
