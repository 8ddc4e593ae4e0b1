import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { accessCases } from "./cases/access.ts";
import { badRequestCases } from "./cases/bad-requests.ts";
import { healthCases } from "./cases/health.ts";
import { kubernetesCases } from "./cases/kubernetes.ts";
import { kvMetadataCases } from "./cases/kv-metadata.ts";
import { kvReadCases } from "./cases/kv-read.ts";
import { kvVersionCases } from "./cases/kv-versions.ts";
import { kvWriteCases } from "./cases/kv-write.ts";
import { leaseCases } from "./cases/leases.ts";
import { sealCases, sealedCases, sealServer, unsealServer } from "./cases/seal.ts";
import { tokenCreationCases } from "./cases/token-creation.ts";
import { tokenLifeCases } from "./cases/token-life.ts";
import type { ContractCase } from "./contract-case.ts";
import { launchDevStore } from "./launch-devstore.ts";
import { launchOpenBao } from "./launch-openbao.ts";
import type { ContractServer } from "./server.ts";

const LAUNCHERS: Readonly<Record<string, () => Promise<ContractServer>>> = {
  "OpenBao 2.7.2": launchOpenBao,
  "the development store": launchDevStore,
};

interface Group {
  readonly name: string;
  readonly cases: readonly ContractCase[];
  /** Brings the server into the state that the cases need, and back. */
  readonly enter?: (server: ContractServer) => Promise<void>;
  readonly leave?: (server: ContractServer) => Promise<void>;
}

const GROUPS: readonly Group[] = [
  { name: "reading data", cases: kvReadCases },
  { name: "writing data", cases: kvWriteCases },
  { name: "versions", cases: kvVersionCases },
  { name: "metadata", cases: kvMetadataCases },
  { name: "access", cases: accessCases },
  { name: "making tokens", cases: tokenCreationCases },
  { name: "the life of tokens", cases: tokenLifeCases },
  { name: "kubernetes login", cases: kubernetesCases },
  { name: "leases", cases: leaseCases },
  { name: "bad requests", cases: badRequestCases },
  { name: "health", cases: healthCases },
  { name: "seal", cases: sealCases },
  { name: "sealed", cases: sealedCases, enter: sealServer, leave: unsealServer },
];

test("every case has its own name", () => {
  const names = GROUPS.flatMap(({ cases }) => cases.map((it) => it.name));
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

for (const [launcher, launch] of Object.entries(LAUNCHERS)) {
  describe(launcher, () => {
    let running: ContractServer | undefined;
    const server = (): ContractServer => {
      if (running === undefined) throw new TypeError("the server did not start");
      return running;
    };
    beforeAll(async () => {
      running = await launch();
    });
    afterAll(async () => {
      await running?.stop();
    });
    for (const group of GROUPS) describe(group.name, () => defineGroup(group, server));
  });
}

function defineGroup(group: Group, server: () => ContractServer): void {
  const { enter, leave } = group;
  if (enter !== undefined) beforeAll(() => enter(server()));
  if (leave !== undefined) afterAll(() => leave(server()));
  for (const { name, run } of group.cases) test(name, () => run(server()));
}
