import { Observable } from './observable.ts'

/**
 * Tracks whether the server runs another build than this page. A header of every API response
 * contains the build id of the server, and the HTML head contains the build id of the page. `hold`
 * withholds the offer to reload, for example during an action that a reload would interrupt.
 */
export class NewVersion extends Observable {
  readonly #ownBuild: string | null
  #isServed = false
  #holds = 0

  constructor(ownBuild: string | null) {
    super()
    this.#ownBuild = ownBuild
  }

  /** @param build the build id in a response; null if the response contains none */
  noteServed(build: string | null): void {
    if (build === null || this.#ownBuild === null) return
    this.#isServed = build !== this.#ownBuild
    this.notify()
  }

  /** Withholds the offer until the returned function is called. */
  hold = (): (() => void) => {
    let isHeld = true
    this.#holds += 1
    this.notify()
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#holds -= 1
      this.notify()
    }
  }

  isReloadOffered = (): boolean => this.#isServed && this.#holds === 0
}

const readOwnBuild = () => document.querySelector<HTMLMetaElement>('meta[name="tocsin-build"]')?.content ?? null

export const newVersion = new NewVersion(typeof document === 'undefined' ? null : readOwnBuild())
