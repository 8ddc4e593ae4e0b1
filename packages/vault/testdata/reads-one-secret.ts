// Reads one secret in an environment that a test prepared, and prints the result.
import { createVaultClient, loadTls, Secret, VaultError } from "../src/index.ts";

const [address = "", caCertPath] = process.argv.slice(2);
const tls = loadTls({ skipVerify: false, caCertPath });
const client = createVaultClient({ address, tls, retry: { maxAttempts: 1 } });
try {
  await client.readSecret(new Secret("hvs.canary"), { path: "secret/data/app" });
  process.stdout.write("read\n");
} catch (error) {
  process.stdout.write(`${error instanceof VaultError ? error.code : String(error)}\n`);
}
