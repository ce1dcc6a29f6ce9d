import type { Priority } from '@tocsin/protocol'

type Note = { frequencyHz: number; offsetMs: number; lengthMs: number }

/** Synthesised tones for each priority: a rising alarm, two bell strokes, or one soft stroke. */
const tones: Record<Priority, readonly Note[]> = {
  critical: [880, 1175, 880, 1175].map((frequencyHz, index) => ({ frequencyHz, offsetMs: index * 160, lengthMs: 150 })),
  high: [659, 880].map((frequencyHz, index) => ({ frequencyHz, offsetMs: index * 200, lengthMs: 280 })),
  medium: [{ frequencyHz: 587, offsetMs: 0, lengthMs: 420 }],
  low: [{ frequencyHz: 587, offsetMs: 0, lengthMs: 420 }],
}
const maxGain = 0.5

/** Created on first use, because browsers block audio until the user interacts with the page. */
let context: AudioContext | null = null

/**
 * Tries to start audio. Call it from a click or key handler. Returns whether sound can be played.
 */
export async function unlockSound(): Promise<boolean> {
  context ??= new AudioContext()
  // `resume()` stays pending while the browser blocks audio.
  if (context.state === 'suspended')
    await Promise.race([context.resume(), new Promise((done) => setTimeout(done, 300))])
  return context.state === 'running'
}

/** Plays the tone of a priority. @param volume percent */
export async function playTone(priority: Priority, volume: number): Promise<void> {
  if (!(await unlockSound()) || !context) return
  const startAt = context.currentTime + 0.02
  for (const { frequencyHz, offsetMs, lengthMs } of tones[priority]) {
    playBell(
      context,
      { frequencyHz, startSeconds: startAt + offsetMs / 1000, durationSeconds: lengthMs / 1000 },
      (volume / 100) ** 2 * maxGain,
    )
  }
}

/**
 * Plays a bell stroke: a tone and its octave with a fast attack and an exponential decay. Times are
 * in seconds.
 */
function playBell(
  audio: AudioContext,
  note: { frequencyHz: number; startSeconds: number; durationSeconds: number },
  level: number,
): void {
  for (const [factor, share] of [
    [1, 0.75],
    [2, 0.25],
  ] as const) {
    const oscillator = audio.createOscillator()
    const gain = audio.createGain()
    oscillator.type = 'sine'
    oscillator.frequency.value = note.frequencyHz * factor
    gain.gain.setValueAtTime(0, note.startSeconds)
    gain.gain.linearRampToValueAtTime(level * share, note.startSeconds + 0.008)
    gain.gain.exponentialRampToValueAtTime(0.0001, note.startSeconds + note.durationSeconds)
    oscillator.connect(gain).connect(audio.destination)
    oscillator.start(note.startSeconds)
    oscillator.stop(note.startSeconds + note.durationSeconds + 0.02)
  }
}
