import { describe, expect, test } from "bun:test";
import { parseGoBoolean } from "./go-boolean.ts";
import { table } from "./testdata/variable-table.ts";
import { variable } from "./variable.ts";
import { parseVariables } from "./variables.ts";

function parse(environment: Readonly<Record<string, string>>, flags: Record<string, string> = {}) {
  return parseVariables(table, {
    environment: new Map(Object.entries(environment)),
    flags: new Map(Object.entries(flags)),
  });
}

const address = { VAULT_ADDR: "x" };

describe("parseVariables", () => {
  test("gives values and defaults with their types", () => {
    const { values, problems } = parse({ ...address, SVC_STRICT: "T" });
    const rotation: "restart" | "sighup" | "none" = values.rotation;
    const strict: boolean = values.strict;
    const paths: string | undefined = values.paths;
    expect(problems).toEqual([]);
    expect({ rotation, strict, paths }).toEqual({
      rotation: "restart",
      strict: true,
      paths: undefined,
    });
  });

  test("names the variable, the wanted value and the given one", () => {
    expect(parse({ ...address, SVC_ROTATION: "retsart" }).problems).toEqual([
      {
        variable: "SVC_ROTATION",
        wanted: "one of restart, sighup, none",
        found: 'got "retsart"',
        message: 'SVC_ROTATION: must be one of restart, sighup, none: got "retsart"',
        hint: "did you mean restart?",
      },
    ]);
  });

  test("collects every problem, the missing ones too", () => {
    const { problems, failed } = parse({ SVC_ROTATION: "x", SVC_STRICT: "yess" });
    expect(problems.map(({ message }) => message)).toEqual([
      'SVC_ROTATION: must be one of restart, sighup, none: got "x"',
      "VAULT_ADDR: must be set: it is not set",
      'SVC_STRICT: must be true or false: got "yess"',
    ]);
    expect([...failed]).toEqual(["rotation", "address", "strict"]);
  });

  test("counts an empty variable as not set", () => {
    const { values, problems, given } = parse({ VAULT_ADDR: "", SVC_ROTATION: "" });
    expect(values.rotation).toBe("restart");
    expect(given.size).toBe(0);
    expect(problems.map(({ variable: name }) => name)).toEqual(["VAULT_ADDR"]);
  });

  test("lets a flag win over its variable, with any value of that", () => {
    const { values, problems } = parse({ ...address, SVC_ROTATION: "x" }, { rotation: "none" });
    expect(values.rotation).toBe("none");
    expect(problems).toEqual([]);
  });

  test("names the flag when the text came from it", () => {
    const [problem] = parse(address, { rotation: "x" }).problems;
    expect(problem?.message).toStartWith("--rotation (SVC_ROTATION): must be one of");
    expect(problem?.variable).toBe("SVC_ROTATION");
  });

  test("reads an old name, and refuses two names that disagree", () => {
    expect(parse({ ...address, SECRET_PATHS: "a" }).values.paths).toBe("a");
    expect(parse({ ...address, SECRET_PATHS: "a", SVC_SECRET_PATHS: "a" }).problems).toEqual([]);
    expect(parse({ ...address, SECRET_PATHS: "a", SVC_SECRET_PATHS: "b" }).problems).toMatchObject([
      {
        message:
          "SVC_SECRET_PATHS: must be the same under its old name, or set once: SECRET_PATHS (old name of SVC_SECRET_PATHS) says something else",
      },
    ]);
  });

  test("shows nothing of a secret variable", () => {
    const { problems } = parse({ ...address, SVC_ORIGINAL_CMD: '["hunter2"' });
    expect(problems).toHaveLength(1);
    expect(JSON.stringify(problems)).not.toContain("hunter2");
  });

  test("reads a flag-only row from the flag, never from the environment", () => {
    expect(parse({ ...address, "--secrets": "a" }).values.items).toBeUndefined();
    expect(parse(address, { secrets: "a" }).values.items).toBe("a");
  });

  test("never reads a row without a parser", () => {
    const { values, given } = parse({ ...address, VAULT_TOKEN: "hunter2" });
    expect(values.token).toBeUndefined();
    expect(given.has("token")).toBe(false);
  });

  test("does not check ignored rows", () => {
    const { problems, values } = parseVariables(table, {
      environment: new Map([...Object.entries(address), ["SVC_ORIGINAL_CMD", "["]]),
      flags: new Map(),
      ignored: new Set(["command"]),
    });
    expect([problems, values.command]).toEqual([[], undefined]);
  });

  test("throws on a default that its own parser refuses", () => {
    const broken = {
      row: variable({
        name: "X",
        group: "g",
        type: "boolean",
        default: "yes",
        parse: parseGoBoolean,
        meaning: "",
      }),
    };
    const input = { environment: new Map<string, string>(), flags: new Map<string, string>() };
    expect(() => parseVariables(broken, input)).toThrow(RangeError);
  });
});
