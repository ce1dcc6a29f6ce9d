/** Lets a button in another part of the page open a dialog. */
class OpenRequests {
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

/** Requests to open the shortcuts dialog. */
export const shortcutsDialogRequests = new OpenRequests()
/** Requests to open the command palette. */
export const paletteRequests = new OpenRequests()
