import { expect, test } from "bun:test";
import { markdownTable } from "./markdown-table.ts";
import { settingsPage } from "./settings-page.ts";

test("a table keeps bars and line breaks inside their cells", () => {
  expect(markdownTable(["A", "B"], [["1|2", "3\n4"]])).toBe(
    "| A | B |\n| --- | --- |\n| 1\\|2 | 3 4 |",
  );
});

test("the settings page has a line for every variable and ends with one line break", () => {
  const page = settingsPage.render();
  expect(page).toMatch(/\| `VAULT_ADDR` \| `--vault-addr` \| Yes, unless .+? \| none \| URL \|/);
  expect(page).toMatch(/\| `RENEWAL_INTERVAL` \| `--renewal-interval` \| No \| `30s` \|/);
  expect(page).toEndWith("|\n");
  expect(settingsPage.render()).toBe(page);
});
