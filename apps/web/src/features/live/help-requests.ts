/** Opens the list of shortcuts from wherever its button stands. */
class HelpRequests {
  #listener: (() => void) | null = null

  listen(listener: () => void): () => void {
    this.#listener = listener
    return () => {
      this.#listener = null
    }
  }

  /** Answers whether there was somebody to open it. */
  ask(): boolean {
    this.#listener?.()
    return this.#listener !== null
  }
}

export const helpRequests = new HelpRequests()
