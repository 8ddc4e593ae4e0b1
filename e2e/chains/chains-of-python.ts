import type { Chain } from "./chain.ts";

const python = (name: string, code: string, more: Partial<Chain> = {}): Chain => ({
  name: `python: ${name}`,
  words: ["python3", "main.py"],
  files: { "main.py": code },
  ...more,
});
const child = 'sys.executable, "worker.py"';
const multiprocessing = (method: string) => `
import multiprocessing
import worker

def work():
    worker.prove()
    worker.stay()

if __name__ == "__main__":
    multiprocessing.set_start_method("${method}")
    one = multiprocessing.Process(target=work)
    one.start()
    one.join()
    raise SystemExit(one.exitcode)
`;
/** Proves when it is imported. */
const asgi = {
  "app.py": `
import worker

worker.prove()

async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await send({"type": "lifespan.shutdown.complete"})
`,
};

/** Python's ways to start programs, and servers written in it. */
export const chainsOfPython: readonly Chain[] = [
  python("subprocess", `import subprocess, sys\nsys.exit(subprocess.run([${child}]).returncode)`, {
    environment: { CHAIN_EXIT: "8" },
    endedBy: "file",
  }),
  python(
    "subprocess with a shell",
    'import subprocess\nsubprocess.run("python3 worker.py; :", shell=True)',
    {
      endedBy: "file",
    },
  ),
  python(
    "subprocess with its own environment",
    `import os, subprocess, sys\nsubprocess.run([${child}], env={**os.environ, "ADDED": "1"})`,
    { endedBy: "file" },
  ),
  python("os.system", 'import os, sys\nsys.exit(os.system("python3 worker.py") >> 8)', {
    endedBy: "file",
  }),
  python("os.execv", `import os, sys\nos.execv(sys.executable, [${child}])`),
  python(
    "os.execve in a forked child",
    `import os, sys
pid = os.fork()
if pid == 0:
    os.execve(sys.executable, [${child}], dict(os.environ))
os.waitpid(pid, 0)`,
    { endedBy: "file" },
  ),
  python(
    "os.posix_spawn",
    `import os, sys
os.waitpid(os.posix_spawn(sys.executable, [${child}], os.environ), 0)`,
    { endedBy: "file" },
  ),
  python(
    "asyncio's subprocess",
    `import asyncio, sys
async def main():
    process = await asyncio.create_subprocess_exec(${child})
    await process.wait()
asyncio.run(main())`,
    { endedBy: "file" },
  ),
  python("multiprocessing by spawn", multiprocessing("spawn"), { endedBy: "file" }),
  python("multiprocessing by forkserver", multiprocessing("forkserver"), { endedBy: "file" }),
  python("multiprocessing by fork", multiprocessing("fork"), { endedBy: "file" }),
  {
    name: "uvicorn --workers 2",
    words: ["uvicorn", "--workers", "2", "--uds", "FOLDER/socket", "app:app"],
    needs: ["python packages"],
    files: asgi,
    workers: 2,
  },
  {
    name: "uvicorn --reload",
    words: ["uvicorn", "--reload", "--uds", "FOLDER/socket", "app:app"],
    needs: ["python packages"],
    files: asgi,
  },
  {
    name: "hypercorn --workers 2",
    words: ["hypercorn", "--workers", "2", "--bind", "unix:FOLDER/socket", "app:app"],
    needs: ["python packages"],
    files: asgi,
    workers: 2,
  },
  {
    name: "gunicorn --workers 2",
    words: ["gunicorn", "--workers", "2", "--bind", "unix:FOLDER/socket", "app:app"],
    needs: ["python packages"],
    files: asgi,
    workers: 2,
  },
  {
    name: "flask --debug run",
    words: ["flask", "--app", "app", "--debug", "run", "--port", "0"],
    needs: ["python packages"],
    files: { "app.py": "import flask, worker\nworker.prove()\napp = flask.Flask(__name__)\n" },
    workers: 2,
  },
  {
    name: "celery with a forked pool",
    words: ["celery", "-A", "tasks", "-b", "memory://", "worker", "-P", "prefork", "-c", "1"],
    needs: ["python packages"],
    files: {
      "tasks.py": `
import celery, celery.signals, worker

app = celery.Celery("tasks")

@celery.signals.worker_process_init.connect
def init(**rest):
    worker.prove()
`,
    },
  },
  {
    name: "opentelemetry-instrument",
    words: ["opentelemetry-instrument", "python3", "worker.py"],
    needs: ["python packages"],
    environment: {
      OTEL_TRACES_EXPORTER: "none",
      OTEL_METRICS_EXPORTER: "none",
      OTEL_LOGS_EXPORTER: "none",
    },
  },
  {
    name: "watchmedo auto-restart",
    words: ["watchmedo", "auto-restart", "--pattern=*.none", "--", "python3", "worker.py"],
    needs: ["python packages"],
  },
];
