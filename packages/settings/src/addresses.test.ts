import { parseIpAddress } from "./ip-address.ts";
import { parseListenAddress } from "./listen-address.ts";
import { parseServerName } from "./server-name.ts";
import { parseServerUrl } from "./server-url.ts";
import { parseSocketAddress } from "./socket-address.ts";
import { testParsers } from "./testdata/parser-table.ts";

const v6 = "fd00::1";

testParsers({
  parseServerName: {
    parse: parseServerName,
    reads: [
      ["vault.example", "vault.example"],
      ["my_vault", "my_vault"],
      ["10.0.0.1", "10.0.0.1"],
      ["::1", "::1"],
      ["v2.vault-0.example", "v2.vault-0.example"],
    ],
    refuses: [
      ["https://vault.example", "write vault.example"],
      ["vault.example:8200", "write vault.example"],
      ["a b"],
      ["-a.example"],
      ["a..example"],
      ["10.0.0.400"],
      ["*.example"],
      ["x".repeat(64)],
      ["v\u00e4ult"],
    ],
  },
  parseServerUrl: {
    parse: parseServerUrl,
    reads: [
      ["https://vault.example:8200", "https://vault.example:8200"],
      ["http://127.0.0.1:8200/", "http://127.0.0.1:8200"],
      ["https://vault.example:443", "https://vault.example:443"],
      ["HTTPS://Vault.Example:8200", "https://vault.example:8200"],
      [`http://[${v6}]:8200`, `http://[${v6}]:8200`],
      ["https://gateway.example:443/vault/", "https://gateway.example:443/vault"],
    ],
    refuses: [
      ["https://vault.example", "write https://vault.example:8200"],
      ["https://vault.example/", "write https://vault.example:8200/"],
      ["vault.example:8201", "write https://vault.example:8201"],
      ["vault", "write https://vault:8200"],
      [`http://[${v6}]`, `write http://[${v6}]:8200`],
      ["https://user:hunter2@vault.example", "write https://vault.example:8200"],
      ["https://vault.example:8200?token=hunter2"],
      ["ftp://vault.example:21"],
      ["unix:///run/vault.sock"],
      ["https://:8200"],
      ["https://vault.example:0"],
      ["https://vault.example:65536"],
      ["https://vault.example:port"],
      ["https://1.2.3.400:8200"],
      [" https://vault.example:8200"],
      ["https://vault.example:8200\n"],
      ["https://vault.example:8200/\u0007"],
      ["https://vault.example:8200/a\u0001"],
      ["https://vault.example:8200\u007f"],
      ["https://vault\u202e.example:8200"],
      ["https://v\u0430ult.example:8200"],
      ["https:\\\\vault.example:8200"],
    ],
  },
  parseListenAddress: {
    parse: parseListenAddress,
    reads: [
      [":8199", { host: "", port: 8199 }],
      [":0", { host: "", port: 0 }],
      ["127.0.0.1:65535", { host: "127.0.0.1", port: 65535 }],
      ["localhost:8199", { host: "localhost", port: 8199 }],
      ["[::1]:8199", { host: "::1", port: 8199 }],
      ["[0:0::0:1]:8199", { host: "::1", port: 8199 }],
    ],
    refuses: [
      ["8199", "write :8199"],
      ["::1:8199", "write [::1]:8199"],
      ["localhost"],
      [":65536"],
      [":-1"],
      [":http"],
      ["host:"],
      ["[::g]:1"],
      ["[::1%eth0]:1"],
      ["http://127.0.0.1:8199"],
      ["999.1.1.1:80"],
      [":8199 "],
    ],
  },
  parseSocketAddress: {
    parse: parseSocketAddress,
    reads: [
      ["unix:///var/run/svc/agent.sock", "unix:///var/run/svc/agent.sock"],
      ["10.0.0.1:9443", "10.0.0.1:9443"],
      [`[${v6}]:9443`, `[${v6}]:9443`],
    ],
    refuses: [
      ["/var/run/svc/agent.sock", "write unix:///var/run/svc/agent.sock"],
      ["unix://agent.sock"],
      ["unix:///"],
      ["unix:///run/"],
      [`unix:///${"x".repeat(107)}`],
      [":9443"],
      ["node:0"],
      ["https://node:9443"],
    ],
  },
  parseIpAddress: {
    parse: parseIpAddress,
    reads: [
      ["10.0.0.1", "10.0.0.1"],
      ["FD00:0:0::1", v6],
      ["::ffff:10.0.0.1", "::ffff:a00:1"],
    ],
    refuses: [
      ["10.0.0"],
      ["10.0.0.256"],
      ["010.0.0.1"],
      ["[::1]"],
      ["::1%eth0"],
      ["node"],
      ["1::2::3"],
    ],
  },
});
