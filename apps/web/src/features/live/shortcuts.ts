/**
 * The keys and what they do. Each stands for a control on the page that carries it as `data-keys`: the key does what a click on that control does, and where
 * there is no such control it does nothing.
 */
export const shortcuts = [
  { keys: 'g d', words: 'Go to the dashboard' },
  { keys: 'g n', words: 'Go to notifications' },
  { keys: 'g h', words: 'Go to history' },
  { keys: 'g v', words: 'Go to verification' },
  { keys: 'g s', words: 'Go to settings' },
  { keys: '/', words: 'Search' },
  { keys: 'j', words: 'Next alert' },
  { keys: 'k', words: 'Previous alert' },
  { keys: '.', words: 'Show new alerts' },
  { keys: 'p', words: 'Pause or resume the list' },
  { keys: 'm', words: 'Mute or unmute sound' },
  { keys: '?', words: 'Show these shortcuts' },
] as const
export type Keys = (typeof shortcuts)[number]['keys']

const sequenceMs = 1_500

type Press = { key: string; atMs: number; isModified: boolean; isRepeated: boolean; isTyping: boolean }
type Started = { key: string; atMs: number } | null

/** What a key press means, after the one before it. Keys with modifiers belong to the browser, keys in a field to the text. */
export function readPress(before: Started, press: Press): { started: Started; keys: Keys | null } {
  const { key, atMs, isModified, isRepeated, isTyping } = press
  if (isModified || isTyping) return { started: null, keys: null }
  const isSequence = before !== null && atMs - before.atMs <= sequenceMs
  const pressed = isSequence ? `${before.key} ${key}` : key
  const found = shortcuts.find(({ keys }) => keys === pressed)
  if (found) {
    const mayRepeat = found.keys === 'j' || found.keys === 'k'
    return { started: null, keys: isRepeated && !mayRepeat ? null : found.keys }
  }
  const isStart = !isSequence && shortcuts.some(({ keys }) => keys.startsWith(`${key} `))
  return { started: isStart ? { key, atMs } : null, keys: null }
}
