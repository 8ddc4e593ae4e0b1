import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { agentProgram } from "./agent-programs.ts";

interface Vector {
  readonly name: string;
  readonly input: string;
  readonly fields?: Readonly<Record<string, string>>;
}

const file = join(import.meta.dirname, "../../formats/vectors/event/cases.json");
// Our own file; a case of another shape fails its assertions.
const { cases } = JSON.parse(readFileSync(file, "utf8")) as { readonly cases: readonly Vector[] };

describe("a C compiler and the vectors agree on bpf/event.h", () => {
  for (const { name, input, fields } of cases) {
    if (fields === undefined) continue;
    test(name, () => {
      const { stdout } = Bun.spawnSync([agentProgram("prints-event")], {
        stdin: Buffer.from(input, "hex"),
      });
      const { actor_exe_name = "", ...others } = fields;
      expect(JSON.parse(stdout.toString())).toEqual({
        ...{ ...others, actor_comm_offset: "112", actor_exe_name },
      });
    });
  }
});
