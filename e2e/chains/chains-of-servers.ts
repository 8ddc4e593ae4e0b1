import type { Chain } from "./chain.ts";

const asRoot = { unprivileged: "it asks for root" } as const;
const postgres = "/usr/lib/postgresql/15/bin";

/** Servers, as their images start them. */
export const chainsOfServers: readonly Chain[] = [
  {
    name: "puma --workers 2",
    words: ["puma", "--workers", "2", "--bind", "unix://FOLDER/socket", "config.ru"],
    needs: ["/usr/bin/puma"],
    files: {
      "config.ru": 'require "./worker"\nprove\nrun ->(_) { [200, {}, []] }\n',
    },
    workers: 2,
  },
  {
    name: "sidekiq beside its Redis",
    words: [
      "sh",
      "-c",
      "redis-server --port 0 --unixsocket FOLDER/redis --save '' & exec sidekiq -c 1 -r ./app.rb",
    ],
    needs: ["/usr/bin/sidekiq", "/usr/bin/redis-server"],
    files: {
      "app.rb": 'sleep 0.05 until File.exist?("FOLDER/redis")\nrequire "./worker"\nprove\n',
    },
    environment: { REDIS_URL: "unix://FOLDER/redis" },
  },
  {
    name: "php-fpm, whose worker starts a program",
    words: ["php-fpm8.2", "-F", "-R", "-y", "FOLDER/fpm.conf"],
    needs: ["/usr/sbin/php-fpm8.2", "/usr/bin/cgi-fcgi"],
    files: {
      "fpm.conf": [
        "[global]\nerror_log = /dev/stderr\ndaemonize = no\npid = FOLDER/fpm.pid",
        "[www]\nlisten = FOLDER/fpm.socket\npm = static\npm.max_children = 2\nclear_env = no",
        "user = root\ngroup = root\n",
      ].join("\n"),
      "page.php": '<?php passthru("python3 FOLDER/worker.py");\n',
    },
    ask: [
      ...["env", "SCRIPT_FILENAME=FOLDER/page.php", "REQUEST_METHOD=GET"],
      ...["cgi-fcgi", "-bind", "-connect", "FOLDER/fpm.socket"],
    ],
    not: asRoot,
  },
  {
    name: "apache prefork, whose worker starts a program",
    words: ["apache2", "-f", "FOLDER/apache.conf", "-D", "FOREGROUND"],
    needs: ["/usr/sbin/apache2"],
    files: {
      "apache.conf": [
        "LoadModule mpm_prefork_module /usr/lib/apache2/modules/mod_mpm_prefork.so",
        "LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so",
        "LoadModule env_module /usr/lib/apache2/modules/mod_env.so",
        "LoadModule alias_module /usr/lib/apache2/modules/mod_alias.so",
        "LoadModule cgi_module /usr/lib/apache2/modules/mod_cgi.so",
        "ServerName chain\nListen 127.0.0.1:PORT\nPidFile FOLDER/apache.pid\nErrorLog /dev/stderr",
        "Mutex file:FOLDER\nDefaultRuntimeDir FOLDER\nStartServers 2\nMinSpareServers 1",
        "PassEnv DB_PASSWORD API_KEY CHAIN_PROOFS CHAIN_END",
        "User www-data\nGroup www-data",
        'ScriptAlias / "FOLDER/pages/"\n<Directory FOLDER>\nRequire all granted\n</Directory>\n',
      ].join("\n"),
      "pages/page!":
        "#!/bin/sh\necho 'Content-Type: text/plain'\necho\nexec python3 FOLDER/worker.py\n",
    },
    ask: ["curl", "-s", "http://127.0.0.1:PORT/page"],
    not: asRoot,
  },
  {
    name: "nginx, whose worker holds the variables",
    words: ["nginx", "-c", "FOLDER/nginx.conf"],
    needs: ["/usr/sbin/nginx", "/usr/lib/nginx/modules/ngx_http_perl_module.so"],
    files: {
      "nginx.conf": [
        "load_module /usr/lib/nginx/modules/ngx_http_perl_module.so;",
        "daemon off; pid FOLDER/nginx.pid; error_log stderr warn; worker_processes 2;",
        "env DB_PASSWORD; env API_KEY; env CHAIN_PROOFS; env CHAIN_END; env CHAIN_MARK;",
        "events {}",
        "http {\n access_log off;",
        ...["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
          (kind) => `${kind}_temp_path FOLDER/temp;`,
        ),
        'perl_set $started \'sub { system("sh FOLDER/worker.sh"); return ""; }\';',
        "server { listen unix:FOLDER/nginx.sock; location / { return 200 $started; } }\n}\n",
      ].join("\n"),
    },
    ask: ["curl", "-s", "--unix-socket", "FOLDER/nginx.sock", "http://nginx/"],
  },
  {
    name: "postgres by an entrypoint with gosu, whose backend starts a program",
    isStatic: "child",
    words: ["./entrypoint.sh", "postgres"],
    needs: [`${postgres}/postgres`, "/usr/sbin/gosu"],
    files: {
      "entrypoint.sh!": [
        "#!/bin/bash\nset -Eeo pipefail",
        'if [ "$(id -u)" = 0 ]; then',
        '\tmkdir data && chown postgres data\n\texec gosu postgres "$0" "$@"\nfi',
        `export PATH=$PATH:${postgres}`,
        "initdb -D data -A trust --no-sync >&2\n",
        'exec "$@" -D data -c listen_addresses= -c unix_socket_directories=FOLDER -c fsync=off\n',
      ].join("\n"),
    },
    ask: [
      ...[`${postgres}/psql`, "-h", "FOLDER", "-U", "postgres", "-c"],
      "copy (select 1) to program 'cd FOLDER && sh worker.sh'",
    ],
    endedBy: "both",
    hidden: "set_ps_display writes over the environment",
    not: asRoot,
  },
  {
    name: "redis by an entrypoint with gosu",
    isStatic: "child",
    words: ["./entrypoint.sh"],
    needs: ["/usr/bin/redis-server", "/usr/sbin/gosu"],
    files: {
      "entrypoint.sh!": [
        "#!/bin/sh\nset -e",
        'if [ "$(id -u)" = 0 ]; then exec gosu redis "$0" "$@"; fi',
        "set -- prove\n. ./worker.sh",
        'printf \'port 0\\nunixsocket FOLDER/redis\\nsave ""\\nrequirepass %s\\n\' "$DB_PASSWORD" |',
        "\tredis-server -\n",
      ].join("\n"),
    },
    not: asRoot,
  },
];
