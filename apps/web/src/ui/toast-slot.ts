import { useSyncExternalStore } from 'react'

/** Places for toasts in the dialogs that are open, the newest last. */
let slots: readonly HTMLElement[] = []
const listeners = new Set<() => void>()

function set(next: readonly HTMLElement[]): void {
  slots = next
  for (const listener of listeners) listener()
}

/** As the `ref` of an element in a dialog: toasts are shown there as long as it is the newest one, where they cover nothing of it. */
export function holdToasts(slot: HTMLElement | null) {
  if (!slot) return
  set([...slots, slot])
  return () => set(slots.filter((one) => one !== slot))
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Where toasts are to be shown; null while no dialog is open. */
export function useToastSlot(): HTMLElement | null {
  const read = () => slots.at(-1) ?? null
  return useSyncExternalStore(subscribe, read, () => null)
}
