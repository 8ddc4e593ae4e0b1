/** The OpenBao release whose answers this store gives; the contract tests run against it. */
export const OPENBAO_VERSION = "2.7.2";
