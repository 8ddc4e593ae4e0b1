import { describe, expect, test } from "bun:test";
import { closeDescriptor, createPlainMemory, createSecretMemory } from "@svc/kernel";
import { placeholderValue } from "@svc/protocol";
import { fillRegion, type ReloadableMemory, writeGeneration } from "@svc/wrapper/testdata";
import { lineReader } from "../harness/processes/line-reader.ts";
import { entriesOf, letterOf, variables } from "../harness/programs/generation-values.ts";
import { compiled, interposer } from "../harness/programs/preload-stage.ts";

const READ = 7;
// Reads with each C library. Each reads a value of 4000 bytes.
const LEAST_READS = 1_000_000;
const programs = {
  glibc: compiled("reads-generations", ["gcc", "-pthread"]),
  musl: compiled("reads-generations", ["musl-gcc", "-pthread"]),
};

for (const [library, program] of Object.entries(programs)) {
  describe(`a program of ${library} that reads while its values are replaced`, () => {
    const rows: readonly (readonly [
      name: string,
      words: readonly string[],
      generations: number,
    ])[] = [
      ["by two threads", ["2"], 50],
      ["by two threads and a signal handler", ["2", "handler"], 50],
      ["by twelve threads", ["12"], 5],
      ["with an environment that setenv has moved", ["2", "moved"], 20],
      ["while threads start and end", ["2", "storm"], 20],
    ];
    for (const [name, words, generations] of rows) {
      test(`${name} finds no torn and no late value`, async () => {
        await using run = await started(program, words);
        const least = words.includes("handler") ? LEAST_READS : 1;
        for (let count = 0; count < generations || (await run.reads()) < least; count++) {
          run.write();
          expect(await run.ask("next")).toBe(run.letter());
        }
        expect(await run.end()).toMatch(/^torn 0 late 0 missing 0 reads/);
      });
    }
  });

  describe(`a program of ${library} finds the current value`, () => {
    test("after many generations in which it asked for none", async () => {
      await using run = await started(program, ["0"]);
      for (const generations of [1, 2, 3, 4, 7]) {
        for (let count = 1; count < generations; count++) {
          run.write();
          await run.ask("skip");
        }
        run.write();
        expect(await run.ask("next")).toBe(run.letter());
      }
      expect(await run.end()).toContain("torn 0");
    });

    test("in its children, forked or executed", async () => {
      await using run = await started(program, ["1"]);
      expect(await run.ask("child")).toBe("A");
      for (let count = 0; count < 5; count++) {
        run.write();
        expect(await run.ask("child")).toBe(run.letter());
        expect(await run.ask("fork")).toBe(run.letter());
        expect(await run.ask("next")).toBe(run.letter());
      }
      expect(await run.end()).toContain("torn 0");
    });

    test("in its children, if it gives them copies from its start", async () => {
      await using run = await started(program, ["0"]);
      for (let count = 0; count < 4; count++) {
        expect(await run.ask("copy")).toBe(run.letter());
        expect(await run.line()).toBe(`LETTERS=${placeholderValue}`);
        run.write();
      }
    });

    test("in memory that the kernel does not protect, if it has no other", async () => {
      await using run = await started(program, ["1"], "memfd");
      run.write();
      expect(await run.ask("next")).toBe("B");
      expect(await run.end()).toContain("torn 0");
    });

    test("and none of a variable that it has removed", async () => {
      await using run = await started(program, ["1"]);
      run.write();
      expect(await run.ask("next")).toBe("B");
      expect(await run.ask("unset")).toBe("-");
      run.write();
      expect(await run.ask("next")).toBe("C");
      expect(await run.ask("unset")).toBe("-");
      expect(await run.end()).toContain("torn 0");
    });
  });
}

/** Starts the program as a courier would: an open descriptor, placeholders, the two variables. */
async function started(program: string, words: readonly string[], kind?: "memfd") {
  const memory = kind === "memfd" ? createPlainMemory("svc-test") : createSecretMemory();
  const { lengthBytes } = fillRegion(memory.kind, memory.fd, entriesOf(0), { reloadable: true });
  const region: ReloadableMemory = { ...memory, lengthBytes };
  const child = Bun.spawn([program, ...words], {
    env: {
      PATH: "/usr/bin:/bin",
      ...Object.fromEntries(variables.map((name) => [name, placeholderValue])),
      SVC_SECRET_FD: "3",
      LD_PRELOAD: interposer,
    },
    stdio: ["pipe", "pipe", "inherit", memory.fd],
  });
  const nextLine = lineReader(child.stdout);
  expect(await nextLine()).toBe("A");
  let generation = 0;
  const ask = (line: string): Promise<string> => {
    child.stdin.write(`${line}\n`);
    child.stdin.flush();
    return nextLine();
  };
  return {
    ask,
    line: nextLine,
    reads: async () => Number(await ask("count")),
    letter: () => letterOf(generation),
    write: () => {
      generation += 1;
      expect(writeGeneration(region, entriesOf(generation), variables).generation).toBe(generation);
    },
    end: async () => {
      child.stdin.end();
      const line = await nextLine();
      expect(await child.exited, line).toBe(READ);
      return line;
    },
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await child.exited;
      closeDescriptor(memory.fd);
    },
  };
}
