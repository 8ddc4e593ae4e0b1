import { join } from "node:path";
import { cacheFolder } from "@svc/testing";
import type { Chain, Need } from "./chain.ts";

/** A chain of one statement that waits for its child. */
function statement(name: string, words: readonly string[], ...needs: readonly Need[]): Chain {
  return { name, words, needs, endedBy: "file" };
}

const starts = "python3 worker.py";
const ruby = "/usr/bin/ruby";
const php = "/usr/bin/php";

/** Other languages' ways to start programs. */
export const chainsOfLanguages: readonly Chain[] = [
  statement("ruby: system", ["ruby", "-e", `system("${starts}"); exit 3`], ruby),
  { name: "ruby: exec", words: ["ruby", "-e", 'exec("ruby", "worker.rb")'], needs: [ruby] },
  statement("ruby: spawn", ["ruby", "-e", `Process.wait spawn("${starts}")`], ruby),
  {
    name: "bundle exec",
    words: ["bundle", "exec", "ruby", "worker.rb"],
    needs: [ruby, "/usr/bin/bundle"],
    files: { Gemfile: "", "Gemfile.lock": "GEM\n  specs:\n\nPLATFORMS\n  ruby\n\nDEPENDENCIES\n" },
  },
  statement("perl: system", ["perl", "-e", `exit(system("${starts}; exit 3") >> 8)`]),
  { name: "perl: exec", words: ["perl", "-e", 'exec "perl", "worker.pl"'] },
  statement("perl: a pipe", ["perl", "-e", `open my $p, "-|", "${starts}"; my @lines = <$p>`]),
  statement("php: passthru", ["php", "-r", `passthru("${starts}", $code); exit($code);`], php),
  statement(
    "php: proc_open",
    ["php", "-r", 'proc_close(proc_open(["php", "worker.php"], [], $pipes));'],
    php,
  ),
  {
    name: "php: pcntl_exec",
    words: ["php", "-r", 'pcntl_exec("/usr/bin/php", ["worker.php"], getenv());'],
    needs: [php],
  },
  {
    name: "java: ProcessBuilder",
    words: [
      "java",
      "-XX:TieredStopAtLevel=1",
      "-Xmx256m",
      "StartsWorker.java",
      ...starts.split(" "),
    ],
    needs: ["/usr/bin/java"],
    environment: { CHAIN_EXIT: "4" },
    endedBy: "file",
  },
  {
    name: "go run",
    isStatic: "child",
    words: ["sh", "-c", "cd worker-go && exec go run ."],
    environment: {
      GOCACHE: join(cacheFolder(process.env), "e2e-chains-go"),
      GOTOOLCHAIN: "local",
      GOFLAGS: "-buildvcs=false",
    },
    endedBy: "file",
    not: { unprivileged: "its cache is another user's" },
  },
  {
    name: "a static Go program that execs",
    words: ["./worker-static", "exec", ..."python3 worker.py".split(" ")],
    isStatic: "first",
  },
  {
    name: "a static Go program that starts a static one",
    words: ["./worker-static", "spawn", "./worker-static"],
    isStatic: "first",
  },
  {
    name: "a static Go program that starts a script",
    words: ["./worker-static", "spawn", "./worker.sh"],
    isStatic: "first",
  },
  statement("C: vfork and execvp", ["./worker-c", "vfork", "./worker-c"]),
  {
    ...statement("C: posix_spawn of a static program", ["./worker-c", "spawn", "./worker-static"]),
    isStatic: "child",
  },
  { name: "a user's program called daemon", words: ["./daemon"], copies: { daemon: "worker-c" } },
  {
    name: "a user's program called es, behind sh",
    words: ["sh", "-c", "./es; exit $?"],
    copies: { es: "worker-static" },
    isStatic: "child",
    endedBy: "file",
  },
  {
    name: "a user's program called watch that starts others",
    words: ["./watch", "spawn", "./worker-c"],
    isStatic: "first",
    copies: { watch: "worker-static" },
  },
  statement("lua: os.execute", ["lua5.4", "-e", `os.execute("${starts}")`], "/usr/bin/lua5.4"),
  statement("tcl: exec", ["sh", "-c", `echo 'exec ${starts}' | tclsh`], "/usr/bin/tclsh"),
  statement(
    "erlang: os:cmd",
    ["erl", "-noshell", "-eval", `os:cmd("${starts}"), halt(5).`],
    "/usr/bin/erl",
  ),
  {
    name: "dotnet: Process.Start",
    words: ["dotnet", "run"],
    needs: ["dotnet"],
  },
];
