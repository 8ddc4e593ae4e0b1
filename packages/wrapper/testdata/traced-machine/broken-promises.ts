import type { Beginning, Process } from "./thread.ts";
import type { TracedLife } from "./traced-life.ts";

const SIGILL = 4;

/**
 * Pure: the promises of a tracer that a life has broken, in words.
 *
 * @param readers the paths of programs that read the region by themselves.
 */
export function brokenPromises(
  life: TracedLife,
  secrets: Readonly<Record<string, string>>,
  readers: readonly string[] = [],
): readonly string[] {
  const { machine, courier, tracer } = life;
  const broken: string[] = [];
  if (machine.isHung) broken.push("something waits for ever");
  if (machine.openFiles.count > 0) broken.push(`${machine.openFiles.count} files are open`);
  for (const process of machine.living) broken.push(...standing(process));
  for (const { pid, end } of machine.processes.values()) {
    if (end?.signal === SIGILL) broken.push(`${pid} has run into foreign instructions`);
  }
  const begun = [...machine.processes.values()].flatMap(({ pid, beginnings }) =>
    beginnings.map((beginning, at) => ({ isMain: pid === courier.pid && at === 0, beginning })),
  );
  for (const { isMain, beginning } of begun) {
    broken.push(...wrongValues(beginning, secrets, readers));
    if (isMain && isPlain(beginning, secrets)) broken.push("the main program has plain values");
  }
  const plain = begun.filter(({ beginning }) => isPlain(beginning, secrets)).length;
  const said = tracer.unprotected + life.lines.filter(({ level }) => level === "error").length;
  if (plain > said) broken.push(`${plain} programs have plain values, and ${said} are reported`);
  return broken;
}

function wrongValues(
  { variables, path }: Beginning,
  secrets: Readonly<Record<string, string>>,
  readers: readonly string[],
): readonly string[] {
  return Object.entries(secrets)
    .filter(([name, value]) => {
      const isReader = variables[name] === undefined && readers.includes(path);
      return variables[name] !== value && !isReader;
    })
    .map(([name]) => `${path} has begun without ${name}`);
}

function standing({ threads, pid }: Process): readonly string[] {
  return threads
    .filter(({ stop, isDead }) => stop !== undefined && !isDead)
    .map(({ tid, stop }) => `${pid}/${tid} stands at ${stop?.signal} ${stop?.event}`);
}

/** Whether a value can be read in /proc/PID/environ. */
export function isPlain({ environ }: Beginning, secrets: Readonly<Record<string, string>>) {
  return Object.values(secrets).some((value) => environ.includes(value));
}
