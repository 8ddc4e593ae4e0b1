import { type AttackTarget, startAttacker } from "./start-attacker.ts";

/** How many attempts of one kind ended how. */
export interface CampaignResult {
  /** The pid of the process whose children attempt. */
  readonly pid: number;
  readonly ok: number;
  /** By a signal, with or without bytes of the secret. */
  readonly killed: number;
  /** How many had bytes of the secret, killed or not. */
  readonly leaked: number;
  /** By the name of the errno. */
  readonly refused: Readonly<Record<string, number>>;
}

/** Options of a campaign. */
export interface CampaignOptions {
  /** By default 50. */
  readonly count?: number;
  /** Called when the attackers have made their preparations, and the victim is to be protected. */
  readonly before?: () => void | Promise<void>;
}

/**
 * Has many processes reach for one in the same way, one after the other.
 *
 * @param name one of listAttacks or listTampers.
 * @throws RangeError if there is no attack of that name, or it could not begin.
 */
export async function runCampaign(
  name: string,
  target: AttackTarget,
  { count = 50, before }: CampaignOptions = {},
): Promise<CampaignResult> {
  const attacker = await startAttacker(["--each", name], target, count);
  const { nextLine } = attacker;
  await before?.();
  attacker.go();
  const refused: Record<string, number> = {};
  const ends: Record<string, number> = {};
  for (let line = await nextLine(); line !== ""; line = await nextLine()) {
    const [word = "", ...rest] = line.split(" ");
    if (word === "refused") refused[rest[0] ?? ""] = Number(rest[1]);
    else ends[word] = Number(rest[0]);
  }
  await attacker.exited;
  const { ok = 0, killed = 0, leaked = 0 } = ends;
  return { pid: attacker.pid, ok, killed, leaked, refused };
}
