import type { Chain } from "./chain.ts";
import { nodeModules } from "./chain-packages.ts";

const script = (name: string, code: string, more: Partial<Chain> = {}): Chain => ({
  name: `node: ${name}`,
  words: ["node", "main.js"],
  needs: ["/usr/bin/node"],
  files: { "main.js": `const child = require("node:child_process");\n${code}\n` },
  ...more,
});
const exits = '.on("exit", (code) => process.exit(code ?? 9))';
const manifest = {
  "package.json": JSON.stringify({
    name: "chain",
    version: "1.0.0",
    scripts: { start: "node worker.js", serve: "sh -c 'python3 worker.py; exit 3'" },
  }),
};
const quiet = {
  npm_config_update_notifier: "false",
  npm_config_cache: "FOLDER/npm",
  NEXT_TELEMETRY_DISABLED: "1",
  PM2_DISABLE_VERSION_CHECK: "true",
} as const;

/** Node's ways to start programs, and the commands of its packages. */
export const chainsOfNode: readonly Chain[] = [
  script("spawn", `child.spawn("python3", ["worker.py"], { stdio: "inherit" })${exits};`, {
    endedBy: "file",
    environment: { CHAIN_EXIT: "2" },
  }),
  script("exec", `child.exec("python3 worker.py; exit 3")${exits};`, { endedBy: "file" }),
  script("execFileSync", 'child.execFileSync("python3", ["worker.py"]);', { endedBy: "file" }),
  script("fork", `child.fork("worker.js")${exits};`, { endedBy: "file" }),
  script(
    "spawn with its own environment",
    `child.spawn("sh", ["worker.sh"], { env: { ...process.env, ADDED: "1" } })${exits};`,
    { endedBy: "file" },
  ),
  script(
    "cluster",
    `const cluster = require("node:cluster"), worker = require("./worker.js");
if (cluster.isPrimary) { cluster.fork(); cluster.fork(); } else { worker.prove(); worker.stay(); }`,
    { workers: 2 },
  ),
  {
    name: "npm start",
    words: ["npm", "start"],
    needs: ["/usr/bin/node"],
    files: manifest,
    environment: quiet,
  },
  {
    name: "npm run",
    words: ["npm", "run", "--silent", "serve"],
    needs: ["/usr/bin/node"],
    files: manifest,
    environment: quiet,
    endedBy: "file",
  },
  {
    name: "npx",
    words: ["npx", "--offline", "-c", "node worker.js"],
    needs: ["/usr/bin/node"],
    files: manifest,
    environment: quiet,
  },
  {
    name: "yarn start",
    words: ["yarn", "--silent", "start"],
    needs: ["node packages"],
    files: manifest,
    environment: quiet,
  },
  {
    name: "pnpm start",
    words: ["pnpm", "start"],
    needs: ["node packages"],
    files: manifest,
    environment: quiet,
  },
  {
    name: "concurrently",
    words: ["concurrently", "node worker.js", "python3 worker.py"],
    needs: ["node packages"],
    workers: 2,
  },
  { name: "nodemon", words: ["nodemon", "worker.js"], needs: ["node packages"] },
  {
    name: "tsx",
    isStatic: "child",
    words: ["tsx", "main.ts"],
    needs: ["node packages"],
    files: { "main.ts": 'import worker from "./worker.js";\nworker.prove();\nworker.stay();\n' },
  },
  {
    name: "pm2-runtime with a cluster of two",
    words: ["pm2-runtime", "start", "main.js", "-i", "2"],
    needs: ["node packages"],
    files: {
      "main.js": 'const worker = require("./worker.js");\nworker.prove();\nworker.stay();\n',
    },
    environment: quiet,
    workers: 2,
    unprotected: {
      because: "pm2 puts its whole environment into one more variable, as JSON",
      warning: "another variable holds a copy",
    },
  },
  {
    name: "pm2, whose daemon leaves its parent",
    words: ["sh", "-c", "pm2 start worker.py --interpreter python3 && exec sh worker.sh"],
    needs: ["node packages"],
    environment: quiet,
    workers: 2,
  },
  {
    name: "next dev",
    words: ["sh", "-c", `ln -s ${nodeModules} node_modules && exec next dev --webpack --port 0`],
    needs: ["node packages"],
    files: {
      "package.json": '{"private":true}',
      "app/layout.js":
        "export default function Root({ children }) { return <html><body>{children}</body></html>; }",
      "app/page.js": "export default function Page() { return null; }",
      "instrumentation.js":
        'export async function register() {\n  if (process.env.NEXT_RUNTIME === "nodejs") {\n    eval("require")("FOLDER/worker.js").prove();\n  }\n}\n',
    },
    environment: quiet,
  },
  {
    name: "Bun.spawn",
    words: [process.execPath, "main.js"],
    files: {
      "main.js":
        'process.exit(await Bun.spawn(["python3", "worker.py"], { env: process.env }).exited);\n',
    },
    endedBy: "file",
    not: { unprivileged: "its runtime is another user's" },
  },
];
