import { advanceLife, newLife } from "../life/advance-life.ts";
import type { Life, LifeContext, LifeEffect, LifeEvent } from "../life/life.ts";

/** Has advance-life.ts decide about one event after the other, and carries the effects out. */
export class LifeRunner {
  readonly #context: () => LifeContext;
  readonly #waiting: LifeEvent[] = [];
  #life = newLife;
  #perform: ((effect: LifeEffect) => void) | undefined;
  #onAdvanced: (() => void) | undefined;
  #isBusy = false;
  readonly #onMistake: (error: unknown) => void;

  /**
   * @param context asked for with every event
   * @param onMistake called once, with an error that neither decisions nor effects expect: no event
   *   is taken afterwards
   */
  constructor(context: () => LifeContext, onMistake: (error: unknown) => void) {
    this.#context = context;
    this.#onMistake = onMistake;
  }

  get life(): Life {
    return this.#life;
  }

  /**
   * Takes the events that have come, and those that come from now on.
   *
   * @param onAdvanced called after each decision, before its effects are carried out
   */
  start(perform: (effect: LifeEffect) => void, onAdvanced?: () => void): void {
    this.#perform = perform;
    this.#onAdvanced = onAdvanced;
    this.#advance();
  }

  /**
   * Takes an event; one that comes out of an effect waits until the other effects are carried out.
   */
  readonly dispatch = (event: LifeEvent): void => {
    this.#waiting.push(event);
    this.#advance();
  };

  #advance(): void {
    if (this.#isBusy || this.#perform === undefined) return;
    this.#isBusy = true;
    try {
      for (let event = this.#waiting.shift(); event; event = this.#waiting.shift()) {
        const { life, effects } = advanceLife(this.#life, event, this.#context());
        this.#life = life;
        this.#onAdvanced?.();
        for (const effect of effects) this.#perform(effect);
      }
      this.#isBusy = false;
    } catch (error) {
      // It stays busy: its life may not fit the effects any more.
      this.#onMistake(error);
    }
  }
}
