import { Enums, Models, Serialize, Spec } from "@cyclonedx/cyclonedx-library";
import type { Crate } from "../engine/engine-crates.ts";
import type { BundledModule } from "./bundled-modules.ts";

/** The parts of an artefact. */
export interface Materials {
  /** The program in it, as `svc-operator`. */
  readonly name: string;
  readonly version: string;
  /** The version of Bun, if it is compiled onto that. */
  readonly bunVersion: string | undefined;
  /** The parts that are compiled into it, if it is compiled onto the engine. */
  readonly crates: readonly Crate[];
  readonly modules: readonly BundledModule[];
  /** Versions of Debian's packages whose files are in it, by name. */
  readonly debian: Readonly<Record<string, string>>;
  /** Debian's name, as `amd64`. */
  readonly architecture: string;
}

/**
 * The bill of materials of an artefact, in CycloneDX 1.6 as JSON (ECMA-424). It has no time and no
 * serial number: the same artefact has the same bill.
 */
export function billOfMaterials(materials: Materials): string {
  const { name, version, bunVersion, crates, modules, debian, architecture } = materials;
  const bom = new Models.Bom();
  const root = new Models.Component(Enums.ComponentType.Application, name, {
    version,
    bomRef: name,
    licenses: licence("Apache-2.0"),
  });
  bom.metadata.component = root;
  const parts = [
    ...(bunVersion === undefined ? [] : [bun(bunVersion)]),
    ...crates.map((crate) => {
      const purl = `pkg:cargo/${crate.name}@${crate.version}`;
      return component(crate.name, crate.version, { purl, licence: crate.licence });
    }),
    ...modules.map((module) => {
      const purl = `pkg:npm/${module.name.replace("@", "%40")}@${module.version}`;
      return component(module.name, module.version, { purl, licence: module.licence });
    }),
    ...Object.entries(debian).map(([packageName, packageVersion]) => {
      const escaped = packageVersion.replaceAll("+", "%2B").replaceAll("~", "%7E");
      const purl = `pkg:deb/debian/${packageName}@${escaped}?arch=${architecture}`;
      return component(packageName, packageVersion, { purl, licence: undefined });
    }),
  ];
  for (const part of parts) {
    bom.components.add(part);
    root.dependencies.add(part.bomRef);
  }
  const normalizer = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6);
  const text = new Serialize.JsonSerializer(normalizer).serialize(bom, {
    sortLists: true,
    space: 2,
  });
  return `${text}\n`;
}

interface PartFacts {
  readonly purl: string;
  readonly licence: string | undefined;
}

function component(name: string, version: string, facts: PartFacts): Models.Component {
  return new Models.Component(Enums.ComponentType.Library, name, {
    version,
    bomRef: facts.purl,
    purl: facts.purl,
    ...(facts.licence !== undefined && { licenses: licence(facts.licence) }),
  });
}

function bun(version: string): Models.Component {
  return component("bun", version, { purl: `pkg:npm/bun@${version}`, licence: "MIT" });
}

function licence(expression: string): Models.LicenseRepository {
  return new Models.LicenseRepository([new Models.LicenseExpression(expression)]);
}
