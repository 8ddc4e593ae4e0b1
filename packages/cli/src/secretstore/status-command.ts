import {
  loadStoreTls,
  type NodeStatus,
  type StatusSettings,
  type StoreStatus,
  storeStatus,
} from "@svc/bootstrap";
import { type CommandContext, connect } from "./command-context.ts";
import type { ToldResult } from "./reporter.ts";

/** Runs `svc secretstore status`. */
export async function statusCommand(
  settings: StatusSettings,
  context: CommandContext,
): Promise<ToldResult & Pick<StoreStatus, "isOpen" | "keysProblem">> {
  const { cluster, administer } = await connect(settings, loadStoreTls(settings), context);
  const status = await context.signals.until(storeStatus(settings, cluster, administer));
  const { isOpen, keysProblem, nodes, secret } = status;
  const fields = { unsealed: isOpen, nodes, secret, keysProblem };
  return { isOpen, keysProblem, fields, lines: describe(status) };
}

function describe({ nodes, secret, keysProblem }: StoreStatus): readonly string[] {
  const widest = Math.max(0, ...nodes.map(({ name }) => name.length));
  return [
    ...(nodes.length === 0 ? ["no pods of the store were found"] : []),
    ...nodes.map((node) => `${node.name.padEnd(widest)}  ${describeNode(node)}`),
    `secret ${secret.name}: ${keysProblem ?? describeSecret(secret)}`,
  ];
}

function describeNode(node: NodeStatus): string {
  if (node.state === "silent") return node.why;
  const { state, progress, version, storage, clusterId } = node;
  const given = state === "sealed" ? [`${progress} shares given`] : [];
  const known = [storage, version, clusterId && `cluster ${clusterId}`];
  return [state, ...given, ...known.filter((it) => it !== undefined)].join(", ");
}

function describeSecret(secret: StoreStatus["secret"]): string {
  switch (secret.phase) {
    case "absent":
      return "there is none";
    case "empty":
      return "nothing is in it yet";
    case "initialising":
      return `"${secret.holder}" initialises the store since ${secret.since}, without keys`;
    case "resetting":
      return `"${secret.holder}" resets the store since ${secret.since}`;
    case "reserved":
      return `reserved by "${secret.holder}" since ${secret.since}, without keys`;
    case "foreign":
      return secret.why;
    case "initialised":
      return describeKeys(secret);
  }
}

type KeysStatus = Extract<StoreStatus["secret"], { readonly phase: "initialised" }>;

function describeKeys(keys: KeysStatus): string {
  const { shares, threshold, rootToken, encryption, initialisedAt, clusterId } = keys;
  const how = (cipher: string | undefined) => (cipher === undefined ? "" : ` (${cipher})`);
  const token = rootToken ? `a root token${how(encryption.rootToken)}` : "no root token";
  const whose = clusterId === undefined ? "" : `, of cluster ${clusterId}`;
  const split = `${shares} key shares${how(encryption.shares)}, ${threshold} needed`;
  return `${split}; ${token}; from ${initialisedAt}${whose}`;
}
