/** Remembers the tokens that a vault gives out. */
export interface IssuedTokens {
  /** To be called with each part of an answer. */
  readonly onAnswer: (bytes: Buffer) => void;
  readonly all: () => readonly string[];
}

/** Starts with none. An answer to a login is far smaller than a part. */
export function issuedTokens(): IssuedTokens {
  const tokens = new Set<string>();
  return {
    onAnswer: (bytes) => {
      const token = /"client_token":\s*"([^"]+)"/.exec(bytes.toString("latin1"))?.[1];
      if (token !== undefined) tokens.add(token);
    },
    all: () => [...tokens],
  };
}
