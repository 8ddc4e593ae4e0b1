import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const folder = join(import.meta.dirname, "../../deploy/crds");

interface Field {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Field>>;
  readonly items?: Field;
}

/** All fields of a schema that have a name, by their paths. */
function fieldsOf(path: string, { properties = {}, items }: Field): readonly [string, Field][] {
  const named = Object.entries(properties).flatMap(([name, field]): [string, Field][] => {
    const own = `${path}.${name}`;
    return [[own, field], ...fieldsOf(own, field)];
  });
  return items === undefined ? named : [...named, ...fieldsOf(`${path}[]`, items)];
}

for (const file of new Bun.Glob("*.yaml").scanSync(folder)) {
  describe(file, () => {
    const text = readFileSync(join(folder, file), "utf8");
    const documents = [Bun.YAML.parse(text)].flat() as readonly Definition[];
    const definitions = documents.filter(({ kind }) => kind === "CustomResourceDefinition");

    test("has no category svc, for kubectl get svc lists Services", () => {
      expect(definitions.flatMap(({ spec }) => spec.names.categories ?? [])).not.toContain("svc");
    });

    test("describes every field for kubectl explain", () => {
      const schemas = definitions.flatMap(({ spec }) => spec.versions).map(({ schema }) => schema);
      const fields = schemas.flatMap(({ openAPIV3Schema }) => fieldsOf("", openAPIV3Schema));
      expect(fields.length).toBeGreaterThan(10);
      const bare = fields.filter(([, { description = "" }]) => description === "");
      // The API server describes metadata itself, and refuses another description.
      expect(bare.map(([path]) => path)).toEqual([".metadata"]);
    });
  });
}

interface Definition {
  readonly kind: string;
  readonly spec: {
    readonly names: { readonly categories?: readonly string[] };
    readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: Field } }[];
  };
}
