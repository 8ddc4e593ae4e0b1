// Proves by a digest that it has its secrets, and stays until it is told to end.
const { createHash } = require("node:crypto");
const { existsSync, renameSync, writeFileSync } = require("node:fs");

function prove() {
  const { DB_PASSWORD = "", API_KEY = "", CHAIN_PROOFS } = process.env;
  const proof = `${CHAIN_PROOFS}/${process.pid}`;
  const digest = createHash("sha256").update(`${DB_PASSWORD}\n${API_KEY}`).digest("hex");
  writeFileSync(`${proof}.new`, digest);
  renameSync(`${proof}.new`, proof);
}

function stay() {
  setInterval(() => {
    if (existsSync(process.env.CHAIN_END)) process.exit(Number(process.env.CHAIN_EXIT ?? 0));
  }, 50);
}

module.exports = { prove, stay };
if (require.main === module || process.env.CHAIN_MAIN === "1") {
  prove();
  stay();
}
