import type { Chain } from "./chain.ts";
import { chainsOfCommands } from "./chains-of-commands.ts";
import { chainsOfLanguages } from "./chains-of-languages.ts";
import { chainsOfNode } from "./chains-of-node.ts";
import { chainsOfPython } from "./chains-of-python.ts";
import { chainsOfServers } from "./chains-of-servers.ts";
import { chainsOfSupervisors } from "./chains-of-supervisors.ts";

/** Every chain of the table. */
export const chains: readonly Chain[] = [
  // First the chains that wait for a full minute: the others run meanwhile.
  ...chainsOfSupervisors.toReversed(),
  ...chainsOfServers,
  ...chainsOfNode,
  ...chainsOfLanguages,
  ...chainsOfPython,
  ...chainsOfCommands,
];
