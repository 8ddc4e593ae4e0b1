import { chmodSync, copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { postgresFolder } from "./ensure-programs.ts";

const TESTDATA = join(import.meta.dir, "../../programs/testdata");

/** A program as Debian ships it, and how it shows that it has its value. */
export interface RealProgram {
  readonly words: (folder: string) => readonly string[];
  readonly environment?: (folder: string) => Readonly<Record<string, string>>;
  /** A command that prints `has VALUE`; without one the program prints it itself. */
  readonly ask?: (folder: string, value: string) => readonly string[];
  /** True if a static program (gosu) is on the way, which no interposer can follow. */
  readonly behindStatic?: true;
}

const waitsInC = "read line; :";

/** Every program of the table in docs/guides/delivery.md. */
export const realPrograms: Readonly<Record<string, RealProgram>> = {
  "Python 3": {
    words: () => [
      "/usr/bin/python3",
      "-c",
      'import os, signal; print("has", os.environ["DB_PASSWORD"], flush=True); signal.pause()',
    ],
  },
  Perl: { words: () => ["/usr/bin/perl", "-e", '$|=1; print "has $ENV{DB_PASSWORD}\\n"; sleep'] },
  Ruby: {
    words: () => ["/usr/bin/ruby", "-e", 'puts "has #{ENV["DB_PASSWORD"]}"; $stdout.flush; sleep'],
  },
  "Node.js": {
    words: () => [
      "/usr/bin/node",
      "-e",
      'console.log("has", process.env.DB_PASSWORD); setInterval(() => {}, 1e9)',
    ],
  },
  Java: { words: () => ["/usr/bin/java", "-Xmx64m", join(TESTDATA, "PrintsSecret.java")] },
  "uutils coreutils (Rust), behind sh": {
    words: () => ["sh", "-c", `echo has $(coreutils printenv DB_PASSWORD); ${waitsInC}`],
  },
  nginx: {
    words: (folder) => {
      const text = readFileSync(join(TESTDATA, "nginx.conf"), "utf8");
      const path = join(folder, "nginx.conf");
      writeFileSync(path, text.replaceAll("FOLDER", folder));
      return ["/usr/sbin/nginx", "-c", path];
    },
    ask: (folder) => ["curl", "-s", "--unix-socket", join(folder, "nginx.sock"), "http://nginx/"],
  },
  "PostgreSQL, by an entrypoint script with gosu": {
    words: (folder) => {
      const script = join(folder, "entrypoint.sh");
      copyFileSync(join(TESTDATA, "postgres-entrypoint.sh"), script);
      chmodSync(script, 0o755);
      const options = ["listen_addresses=", `unix_socket_directories=${folder}`, "fsync=off"];
      return [script, "postgres", ...options.flatMap((option) => ["-c", option])];
    },
    behindStatic: true,
    environment: (folder) => ({ PGDATA: join(folder, "data") }),
    ask: (folder, value) => [
      ...["env", `PGPASSWORD=${value}`, `${postgresFolder()}/psql`, "-h", folder],
      ...["-U", "postgres", "-tAc", `select 'has ${value}'`],
    ],
  },
  "Redis, by sh and a pipe": {
    words: (folder) => [
      "sh",
      "-c",
      `printf 'port 0\\nunixsocket ${folder}/redis.sock\\nsave ""\\nrequirepass %s\\n' "$DB_PASSWORD" | redis-server -`,
    ],
    ask: (folder, value) => [
      ...["env", `REDISCLI_AUTH=${value}`, "redis-cli", "-s", join(folder, "redis.sock")],
      ...["ECHO", `has ${value}`],
    ],
  },
};
