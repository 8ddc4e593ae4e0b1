import { existsSync } from "node:fs";
import { installPackages } from "@svc/testing";

/** The programs of the stories, by a file of theirs, and their Debian packages. */
const packages: Readonly<Record<string, string>> = {
  "/usr/bin/python3": "python3-minimal",
  "/usr/bin/perl": "perl-base",
  "/usr/bin/ruby": "ruby",
  "/usr/bin/node": "nodejs",
  "/usr/bin/java": "default-jre-headless",
  "/usr/bin/coreutils": "rust-coreutils",
  "/usr/sbin/nginx": "nginx-light",
  "/usr/lib/nginx/modules/ngx_http_perl_module.so": "libnginx-mod-http-perl",
  "/usr/bin/redis-server": "redis-server",
  "/usr/bin/redis-cli": "redis-tools",
  "/usr/sbin/gosu": "gosu",
};

/** Installs the missing ones, and PostgreSQL in Debian's version. */
export function ensurePrograms(): void {
  const missing = Object.entries(packages).flatMap(([file, name]) =>
    existsSync(file) ? [] : [name],
  );
  if (postgresFolder() === undefined) missing.push("postgresql");
  installPackages(missing);
}

/** The folder of PostgreSQL's programs. */
export function postgresFolder(): string | undefined {
  const [found] = new Bun.Glob("/usr/lib/postgresql/*/bin/postgres").scanSync({ cwd: "/" });
  return found?.replace(/\/postgres$/, "");
}
