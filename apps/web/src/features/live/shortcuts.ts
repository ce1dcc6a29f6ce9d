import { liveTexts } from '../../texts/live.ts'

const texts = liveTexts.shortcuts
/**
 * The keys and what they do. Each stands for a control on the page that carries it as `data-keys`: the key does what a click on that control does, and where
 * there is no such control it does nothing.
 */
export const shortcuts = [
  { keys: 'g d', words: texts.goToTheDashboard },
  { keys: 'g n', words: texts.goToNotifications },
  { keys: 'g h', words: texts.goToHistory },
  { keys: 'g v', words: texts.goToVerification },
  { keys: 'g s', words: texts.goToSettings },
  { keys: '/', words: texts.search },
  { keys: 'j', words: texts.nextAlert },
  { keys: 'k', words: texts.previousAlert },
  { keys: '.', words: texts.showNewAlerts },
  { keys: 'p', words: texts.pauseOrResumeTheList },
  { keys: 'm', words: texts.muteOrUnmuteSound },
  { keys: '?', words: texts.showTheseShortcuts },
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
