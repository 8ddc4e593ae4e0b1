import { expect, test } from "bun:test";
import { callBao, writeSecret } from "@svc/testing";
import {
  changingStore,
  linesOf,
  logs,
  recorder,
  setLifecycleStage,
} from "../harness/wrapper/lifecycle-stage.ts";
import { startWrapper } from "../harness/wrapper/wrapper-process.ts";

setLifecycleStage();

interface Row {
  readonly what: string;
  /** The secret that the wrapper reads. */
  readonly path: string;
  /** A request that ends version 1, which the program has. */
  readonly request: { readonly method: "POST" | "DELETE"; readonly path: string };
  readonly code: "DELETED" | "DESTROYED" | "NOT_FOUND";
  /** True if a newer version would be the program's. */
  readonly newest: boolean;
}

const remove = { method: "DELETE", path: "secret/data/app" } as const;
const destroy = { method: "POST", path: "secret/destroy/app" } as const;
// The place of its metadata is not known, so a check compares its values.
const byValues = "secret/data/data/app";

const rows: readonly Row[] = [
  { what: "deleted", path: "secret/data/app", request: remove, code: "DELETED", newest: true },
  { what: "destroyed", path: "secret/data/app", request: destroy, code: "DESTROYED", newest: true },
  {
    what: "deleted, seen by its values",
    path: byValues,
    request: { method: "DELETE", path: byValues },
    code: "DELETED",
    newest: true,
  },
  {
    what: "removed with its path",
    path: "secret/data/app",
    request: { method: "DELETE", path: "secret/metadata/app" },
    code: "NOT_FOUND",
    newest: true,
  },
  {
    what: "deleted, and pinned",
    path: "secret/data/app#1",
    request: remove,
    code: "DELETED",
    newest: false,
  },
  {
    what: "destroyed, and pinned",
    path: "secret/data/app#1",
    request: destroy,
    code: "DESTROYED",
    newest: false,
  },
];

for (const { what, path, request, code, newest } of rows) {
  test.concurrent(`the log reports a version that is ${what}; the program keeps it`, async () => {
    await using changing = changingStore({ secrets: { [byValues]: { password: "by values" } } });
    await using wrapper = await startWrapper({
      program: [recorder],
      environment: { ...changing.environment, SVC_SECRET_PATHS: path },
    });
    await wrapper.prints("start ");
    const target = { address: changing.store.address, rootToken: changing.store.token };
    await callBao(target, { ...request, body: { versions: [1] } });
    await logs(wrapper, code, 3);
    expect(linesOf(wrapper)).toHaveLength(1);
    if (!newest) return;
    await writeSecret(target, path, { password: "written again" });
    await wrapper.prints("start written again");
  });
}

test.concurrent("a version that ends later is the program's until then", async () => {
  await using changing = changingStore();
  const { store, environment } = changing;
  const target = { address: store.address, rootToken: store.token };
  const endAfter = (delay: string) =>
    callBao(target, {
      method: "POST",
      path: "secret/metadata/app",
      body: { delete_version_after: delay },
    });
  await endAfter("1h");
  const first = await changing.change();
  await using wrapper = await startWrapper({
    program: [recorder],
    environment: { ...environment, SVC_LOG_LEVEL: "debug" },
  });
  await wrapper.prints(`start ${first}`);
  await logs(wrapper, '"changed":false', 3);
  expect(wrapper.stderr()).not.toContain("could not be checked");
  await endAfter("3s");
  await wrapper.prints(`start ${await changing.change()}`);
  await logs(wrapper, "DELETED", 2);
  expect(linesOf(wrapper)).toHaveLength(3);
});
