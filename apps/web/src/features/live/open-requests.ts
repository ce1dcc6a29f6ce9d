/** Lets a button in another part of the page open a dialog. */
class DialogOpener {
  #listener: (() => void) | null = null

  listen(listener: () => void): () => void {
    this.#listener = listener
    return () => {
      this.#listener = null
    }
  }

  /** Returns false if no listener is registered. */
  requestOpen(): boolean {
    this.#listener?.()
    return this.#listener !== null
  }
}

export const shortcutsDialogRequests = new DialogOpener()
export const paletteRequests = new DialogOpener()
