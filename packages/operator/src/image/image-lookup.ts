import { BoundedCache } from "./bounded-cache.ts";
import type { CredentialEntry } from "./docker-auths.ts";
import type { FoundImage } from "./found-image.ts";
import { ImageError } from "./image-error.ts";
import { formatReference, type ImageReference, parseImageReference } from "./image-reference.ts";
import { type LookupOptions, lookUpImage } from "./look-up-image.ts";
import { type LookupMemory, lookupMemory, type SharedImages } from "./lookup-memory.ts";
import { LookupPlaces } from "./lookup-places.ts";
import { NextFlight } from "./next-flight.ts";
import { weightOf } from "./read-image.ts";
import { type LookupLimits, lookupLimits, type RegistrySettings } from "./registry-settings.ts";
import { SingleFlight } from "./single-flight.ts";

/** How lookups of one process are made. */
export interface ImageLookupOptions {
  readonly settings: RegistrySettings;
  /** By default `lookupLimits`. */
  readonly limits?: LookupLimits;
  /** How long a tag means the same image, in milliseconds; by default a minute. */
  readonly tagLifeMs?: number;
  /** How long an image stays unknown, in milliseconds; by default five seconds. */
  readonly refusalLifeMs?: number;
  /** Lookups at a time; by default 200. */
  readonly flights?: number;
  /** The images that other replicas know; by default none. */
  readonly shared?: SharedImages | undefined;
  /** Lookups that wait for one of those to end; by default 1000. */
  readonly waiting?: number;
}

/** The request for one container. */
export type ImageQuestion = Pick<
  LookupOptions,
  "credentials" | "logins" | "platform" | "signal"
> & {
  /** For `imagePullPolicy: Always`: a tag is asked for again, regardless of the cache. */
  readonly fresh?: boolean;
  /** The owner of a share of the lookups: the pod's namespace. */
  readonly asker?: string;
};

type Answer = { readonly image: FoundImage } | { readonly error: ImageError };

/**
 * Looks images up and remembers them, within bounds. A result of a credential is reused only with
 * that credential: a pod that may not pull an image learns nothing of it here.
 */
export class ImageLookup {
  readonly #options: ImageLookupOptions;
  readonly #memory: LookupMemory;
  readonly #answers = new BoundedCache<Answer>({ entries: 10_000, bytes: 16 * 1024 * 1024 });
  readonly #flights = new SingleFlight<FoundImage>();
  readonly #freshFlights = new NextFlight<FoundImage>();
  readonly #places: LookupPlaces;

  constructor(options: ImageLookupOptions) {
    this.#options = options;
    this.#memory = lookupMemory(options.shared);
    const { flights = 200, waiting = 1000, limits = lookupLimits } = options;
    this.#places = new LookupPlaces({ flights, waiting, waitMs: limits.totalMs });
  }

  /**
   * The command of the image.
   *
   * @throws ImageError
   */
  async lookUp(text: string, question: ImageQuestion): Promise<FoundImage> {
    const reference = parseImageReference(text, this.#options.settings.defaultRegistry);
    const key = keyOf(reference, question);
    const isFresh = question.fresh === true && reference.digest === undefined;
    const remembered = isFresh ? undefined : this.#answers.get(key);
    if (remembered !== undefined) return imageOf(remembered);
    const { asker = "" } = question;
    const work = () =>
      this.#places.run(asker, `read image ${text}`, () =>
        this.#ask(key, text, { reference, question }),
      );
    // A namespace with much to wait for must not make others wait with it, so each has its own
    // flights. A request for a fresh result must not join an earlier lookup: the image may just
    // have been pushed.
    const flights = isFresh ? this.#freshFlights : this.#flights;
    return waitFor(flights.run(`${asker} ${key}`, work), question.signal, text);
  }

  async #ask(key: string, text: string, { reference, question }: Asked): Promise<FoundImage> {
    const { settings, limits, tagLifeMs = 60_000, refusalLifeMs = 5000 } = this.#options;
    const { credentials = [], logins, platform } = question;
    try {
      const image = await lookUpImage(text, {
        credentials,
        logins,
        platform,
        settings,
        memory: this.#memory,
        ...(limits && { limits }),
      });
      const lifeMs = reference.digest === undefined ? tagLifeMs : Number.POSITIVE_INFINITY;
      this.#answers.put(key, { image }, { bytes: weightOf(image), lifeMs });
      return image;
    } catch (error) {
      if (error instanceof ImageError)
        this.#answers.put(key, { error }, { bytes: 2000, lifeMs: refusalLifeMs });
      throw error;
    }
  }
}

interface Asked {
  readonly reference: ImageReference;
  readonly question: ImageQuestion;
}

function imageOf(answer: Answer): FoundImage {
  if ("image" in answer) return answer.image;
  throw answer.error;
}

/**
 * All credentials, not only those that match: mirrors have their own. Namespaces that the operator
 * logs in for share nothing with others.
 */
function keyOf(
  reference: ImageReference,
  { credentials = [], logins, platform }: ImageQuestion,
): string {
  const parts = [
    formatReference(reference),
    platform.os,
    ...platform.architectures,
    "as",
    `operator:${logins?.key ?? ""}`,
    ...credentials.map(asText),
  ];
  const text = parts.join(" ");
  return text.length <= 300 ? text : new Bun.CryptoHasher("sha256").update(text).digest("hex");
}

function asText({ pattern, credential }: CredentialEntry): string {
  return `${pattern} ${credential.fingerprint}`;
}

/** A caller that gives up does not end the lookup for others. */
async function waitFor<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  text: string,
): Promise<T> {
  if (signal === undefined) return work;
  const { promise, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(new ImageError("CANCELLED", `read image ${text}: cancelled`));
  if (signal.aborted) giveUp();
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}
