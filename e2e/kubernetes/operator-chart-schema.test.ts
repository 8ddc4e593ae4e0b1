import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runHelm } from "../harness/kubernetes/helm.ts";
import { operatorChart } from "../harness/kubernetes/operator-chart.ts";

interface Node {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly additionalProperties?: boolean | Node;
  readonly items?: Node;
}

/** A schema and its place: names of fields, and `0` for the items of a list. */
interface Placed {
  readonly path: readonly string[];
  readonly node: Node;
}

const text = readFileSync(join(operatorChart, "values.schema.json"), "utf8");
const everySchema = placedIn({ path: [], node: Object(JSON.parse(text)) });
const objects = everySchema.filter(({ node }) => node.type === "object");
const closed = objects.filter(({ node }) => node.properties !== undefined);

function placedIn({ path, node }: Placed): readonly Placed[] {
  const fields = Object.entries(node.properties ?? {});
  const below = [
    ...fields.map(([name, field]) => ({ path: [...path, name], node: field })),
    ...(node.items === undefined ? [] : [{ path: [...path, "0"], node: node.items }]),
  ];
  return [{ path, node }, ...below.flatMap(placedIn)];
}

/** Kubernetes has types for these, and checks them itself. */
const ofKubernetes =
  /^(global|affinity|extraEnv\.0|extraVolumes\.0|extraVolumeMounts\.0|networkPolicy\.vault\.0)$/;

test("every object of the schema has closed names, free ones with a type, or is Kubernetes' own", () => {
  const open = objects.filter(
    ({ node }) => node.additionalProperties === undefined || node.additionalProperties === true,
  );
  const names = open.map(({ path }) => path.join("."));
  const others = names.filter(
    (name) => !ofKubernetes.test(name.replace(/^(operator|agent|secretstore)\./, "")),
  );
  expect(others).toEqual([]);
});

describe("an invalid name is refused", () => {
  for (const { path } of closed) {
    test(`in ${path.join(".") || "the values"}`, async () => {
      const values = path.reduceRight<unknown>(
        (below, name) => (name === "0" ? [below] : { [name]: below }),
        { nameThatIsNone: "x" },
      );
      const words = ["template", "x", operatorChart];
      const { exitCode, stderr } = await runHelm(words, { values: Object(values) });
      expect(exitCode).not.toBe(0);
      expect(stderr).toContain("'nameThatIsNone' not allowed");
    });
  }
});
