/**
 * Keyboard shortcuts. j, k and ? have their own actions. Every other shortcut clicks the visible
 * control whose `data-keys` attribute has the same keys, or focuses it if it is an input. While the
 * row of an alert has the focus, v, o and w click the controls of that row.
 */
export const shortcuts = [
  { keys: 'g d', label: 'Go to the dashboard' },
  { keys: 'g n', label: 'Go to notifications' },
  { keys: 'g h', label: 'Go to history' },
  { keys: 'g v', label: 'Go to verification' },
  { keys: 'g s', label: 'Go to settings' },
  { keys: '/', label: 'Search' },
  { keys: 's', label: 'Saved views' },
  { keys: 'j', label: 'Next alert' },
  { keys: 'k', label: 'Previous alert' },
  { keys: 'v', label: 'Check the proof of the open alert' },
  { keys: 'o', label: 'Open the market at its exchange' },
  { keys: 'w', label: 'Watch or unwatch the asset' },
  { keys: '.', label: 'Show new alerts' },
  { keys: 'p', label: 'Pause or resume the list' },
  { keys: 'm', label: 'Mute or unmute sound' },
  { keys: '?', label: 'Show these shortcuts' },
] as const
export type ShortcutKeys = (typeof shortcuts)[number]['keys']

const sequenceTimeoutMs = 1_500

type KeyPress = { key: string; atMs: number; isModified: boolean; isRepeated: boolean; isTyping: boolean }
type StartedSequence = { key: string; atMs: number } | null

/**
 * Interprets a key press. `startedSequence` is the first key of a sequence, if one was pressed.
 * Ignores keys with modifiers and keys that are typed into fields.
 */
export function interpretKeyPress(
  startedSequence: StartedSequence,
  press: KeyPress,
): { started: StartedSequence; keys: ShortcutKeys | null } {
  const { key, atMs, isModified, isRepeated, isTyping } = press
  if (isModified || isTyping) return { started: null, keys: null }
  const isSequence = startedSequence !== null && atMs - startedSequence.atMs <= sequenceTimeoutMs
  const pressedKeys = isSequence ? `${startedSequence.key} ${key}` : key
  const shortcut = shortcuts.find(({ keys }) => keys === pressedKeys)
  if (shortcut) {
    const mayRepeat = shortcut.keys === 'j' || shortcut.keys === 'k'
    return { started: null, keys: isRepeated && !mayRepeat ? null : shortcut.keys }
  }
  const isStart = !isSequence && shortcuts.some(({ keys }) => keys.startsWith(`${key} `))
  return { started: isStart ? { key, atMs } : null, keys: null }
}
