import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "@svc/testing";
import { type FoundPins, findPins } from "./found-pins.ts";

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder[Symbol.dispose]());

describe("in the place of the pins is", () => {
  const rows: readonly (readonly [
    name: string,
    make: (place: string) => void,
    found: (place: string) => FoundPins,
  ])[] = [
    ["nothing", () => undefined, () => ({ place: "absent", pins: [], strange: [] })],
    [
      "an empty folder",
      (place) => mkdirSync(place),
      () => ({ place: "folder", pins: [], strange: [] }),
    ],
    [
      "a file",
      (place) => writeFileSync(place, ""),
      (place) => ({ place: "other", pins: [], strange: [`${place} is a pinned object`] }),
    ],
    [
      "a link that leads nowhere",
      (place) => symlinkSync("/nowhere", place),
      (place) => ({
        ...{ place: "other", pins: [] },
        strange: [`${place} is a symbolic link to /nowhere`],
      }),
    ],
    [
      "a folder with pins, a folder and a link",
      (place) => {
        mkdirSync(join(place, "agent"), { recursive: true });
        writeFileSync(join(place, "regions"), "");
        symlinkSync("regions", join(place, "violations"));
      },
      (place) => ({
        place: "folder",
        pins: ["regions"],
        strange: [
          `${join(place, "agent")} is a folder`,
          `${join(place, "violations")} is a symbolic link to regions`,
        ],
      }),
    ],
  ];
  for (const [name, make, found] of rows) {
    test(name, () => {
      const place = join(folder.path, "svc");
      make(place);
      expect(findPins(place)).toEqual(found(place));
    });
  }
});
