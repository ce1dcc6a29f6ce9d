import { MINUTE_MS } from '@tocsin/protocol/durations'
import { pollHeader } from '@tocsin/protocol/names'

/**
 * How long input counts as recent. It is longer than the interval of most polls, so that at least
 * one poll after the last input is sent without the poll header.
 */
const IDLE_AFTER_MS = 2 * MINUTE_MS
const INPUT_EVENTS = ['pointerdown', 'pointermove', 'wheel', 'keydown', 'click'] as const

/** Null while input is not watched. */
let lastInputMs: number | null = null

/** Watches input of the user from now on. Returns a function that stops watching. */
export function watchInput(target: EventTarget = window): () => void {
  const onInput = () => {
    lastInputMs = Date.now()
  }
  onInput()
  for (const type of INPUT_EVENTS) target.addEventListener(type, onInput, { capture: true, passive: true })
  return () => {
    for (const type of INPUT_EVENTS) target.removeEventListener(type, onInput, { capture: true })
    lastInputMs = null
  }
}

/**
 * Returns the header that marks a request as a poll if the user has made no input for
 * IDLE_AFTER_MS. The server does not count polls as use of a staff session, so that an open page
 * does not keep the session alive.
 */
export function createPollHeaders(): Record<string, string> {
  return lastInputMs !== null && Date.now() - lastInputMs >= IDLE_AFTER_MS ? { [pollHeader]: '1' } : {}
}
