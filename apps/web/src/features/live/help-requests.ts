/** Lets the help button, which is in another part of the page, open the shortcuts dialog. */
class HelpRequests {
  #listener: (() => void) | null = null

  listen(listener: () => void): () => void {
    this.#listener = listener
    return () => {
      this.#listener = null
    }
  }

  /** Returns false if no listener is registered. */
  ask(): boolean {
    this.#listener?.()
    return this.#listener !== null
  }
}

export const helpRequests = new HelpRequests()
