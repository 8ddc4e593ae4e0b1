import type { Listener } from "../host/network.ts";
import type { Machine } from "../machine/machine.ts";
import type { Process } from "../machine/process.ts";
import type { Behaviour } from "./model-program.ts";

const ANSWER_US = 200;

/** The server of a program, which is asked whether it is ready. */
export function programServer(
  process: Process,
  { readyAfterUs }: Required<Behaviour>["answers"],
  { machine, asked }: { readonly machine: Machine; readonly asked: string[] },
): Listener {
  const readyUs = machine.nowUs + readyAfterUs;
  return {
    process,
    visit({ method, path, headers }, done) {
      asked.push(`${method} ${path} ${headers.map((header) => header.join(": ")).join(", ")}`);
      const status = machine.nowUs < readyUs ? 503 : 200;
      machine.after(ANSWER_US, () => done({ status, body: "" }));
    },
  };
}
