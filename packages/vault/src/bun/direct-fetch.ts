/**
 * Bun's fetch, closed to two variables of its surroundings:
 * without `proxy: false` HTTP_PROXY and HTTPS_PROXY would choose who sees the token,
 * without `verbose: false` BUN_CONFIG_VERBOSE_FETCH would print it.
 */
export function directFetch(url: string, init: BunFetchRequestInit): Promise<Response> {
  return fetch(url, Object.assign({}, init, { proxy: false, verbose: false }));
}
