/** The finding about one side of a SvcConfig. */
export interface Finding {
  readonly isGood: boolean;
  /** One word in CamelCase. */
  readonly reason: string;
  /** For people. Names the problem, and nothing of a Secret. */
  readonly message: string;
}

/** The sides that are looked at, by the type of their condition. */
export interface Findings {
  /** Whether its settings can be used. */
  readonly Valid: Finding;
  /** Whether pods may go to its vault. */
  readonly AddressAllowed: Finding;
  /** Whether its certificates can be used; undefined without certificates. */
  readonly CertificatesValid?: Finding;
  /** Whether no other SvcConfig claims pods that it selects; undefined if it selects none. */
  readonly SelectorUnique?: Finding;
}

/** The type of a condition that is made of a finding. */
export type FindingType = keyof Findings;
