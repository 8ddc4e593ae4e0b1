import { expect, test } from "bun:test";
import { decisionRecords } from "./decision-records.ts";

const record = (number: string, ...status: readonly string[]) =>
  `# ${number} Title ${number}\n\n${status.join("\n")}\n\n**Context.** None.\n`;

const accepted = "Status: accepted on 2026-11-21.";
const inPart = "Superseded in part by [0002](0002-b.md) on 2026-11-22: the sizes.";

test("a record may be replaced in part, over several lines", () => {
  const [first, second] = decisionRecords({
    "0001-a.md": record("0001", accepted, inPart),
    "0002-b.md": record("0002", accepted, "Supersedes a part of", "[0001](0001-a.md)."),
  });
  expect(first).toMatchObject({ date: "2026-11-21", partsSupersededBy: ["0002"], supersedes: [] });
  expect(first?.supersededBy).toBeUndefined();
  expect(second).toMatchObject({ partsSupersededBy: [], supersedes: ["0001"] });
});

test("a record may be replaced as a whole, and one may replace several", () => {
  const replaced = "Status: superseded by [0003](0003-c.md) on 2026-11-22.";
  const records = decisionRecords({
    "0003-c.md": record(
      "0003",
      `${accepted} Supersedes [0001](0001-a.md). Supersedes a part of [0002](0002-b.md).`,
    ),
    "0002-b.md": record("0002", accepted, inPart.replaceAll("0002-b", "0003-c").replace("2", "3")),
    "0001-a.md": record("0001", replaced),
  });
  expect(records.map(({ number }) => number)).toEqual(["0001", "0002", "0003"]);
  expect(records[0]).toMatchObject({ date: "2026-11-22", supersededBy: "0003" });
  expect(records[2]?.supersedes).toEqual(["0001", "0002"]);
});

test.each([
  ["no status", ["**Context.** None."], /0001-a\.md:3: got "\*\*Context/],
  ["an unknown word", ["Status: proposed on 2026-11-21."], /0001-a\.md:3: got "Status: proposed/],
  ["no date", ["Status: accepted."], /0001-a\.md:3: got/],
  ["a number without a link", ["Status: superseded by 0002 on 2026-11-22."], /:3: got/],
  ["a part without a name", [accepted, inPart.replace(": the sizes", "")], /:3: got/],
  ["text behind it", [accepted, "It holds for the agent."], /:3: got/],
  [
    "a record that does not exist",
    [accepted, inPart.replaceAll("0002", "0009")],
    /^0001-a\.md:3: superseded by 0009: there is no such record$/,
  ],
  [
    "a record that does not name it back",
    [accepted, inPart],
    /^0001-a\.md:3: superseded by 0002: 0002-b\.md has no "Supersedes" for 0001$/,
  ],
  [
    "a claim that the other record does not make",
    [accepted, "Supersedes [0002](0002-b.md)."],
    /^0001-a\.md:3: supersedes 0002: 0002-b\.md has no "superseded by" for 0001$/,
  ],
])("a status is refused with %s", (_, status, message) => {
  const files = { "0001-a.md": record("0001", ...status), "0002-b.md": record("0002", accepted) };
  expect(() => decisionRecords(files)).toThrow(message);
});

test("every mistake is named at once", () => {
  const files = { "0001-a.md": record("0001", "Status: new."), "0002-b.md": "# Title\n" };
  expect(() => decisionRecords(files)).toThrow(/0001-a\.md:3: .*\n0002-b\.md:1: want "# NUMBER/);
});
