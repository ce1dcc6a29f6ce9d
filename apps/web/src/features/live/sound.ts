import type { Priority } from '@tocsin/protocol'

type Note = { frequencyHz: number; atMs: number; lengthMs: number }

/** Three tones, synthesised: a rising alarm, two strokes, one soft stroke. */
const tones: Record<Priority, readonly Note[]> = {
  critical: [880, 1175, 880, 1175].map((frequencyHz, at) => ({ frequencyHz, atMs: at * 160, lengthMs: 150 })),
  high: [659, 880].map((frequencyHz, at) => ({ frequencyHz, atMs: at * 200, lengthMs: 280 })),
  medium: [{ frequencyHz: 587, atMs: 0, lengthMs: 420 }],
  low: [{ frequencyHz: 587, atMs: 0, lengthMs: 420 }],
}
const loudest = 0.5

/** Made by the first sound: a browser lets it speak only after somebody has clicked or typed. */
let context: AudioContext | null = null

/** Lets tones be heard, if the browser allows it now: call it from a click. Answers whether they can be. */
export async function unlockSound(): Promise<boolean> {
  context ??= new AudioContext()
  // A context that may not start keeps its promise open until it may.
  if (context.state === 'suspended')
    await Promise.race([context.resume(), new Promise((done) => setTimeout(done, 300))])
  return context.state === 'running'
}

/** Plays the tone of a priority. @param volume percent */
export async function playTone(priority: Priority, volume: number): Promise<void> {
  if (!(await unlockSound()) || !context) return
  const startAt = context.currentTime + 0.02
  for (const { frequencyHz, atMs, lengthMs } of tones[priority]) {
    strike(context, { frequencyHz, at: startAt + atMs / 1000, length: lengthMs / 1000 }, (volume / 100) ** 2 * loudest)
  }
}

/** One stroke of a bell: the tone and its octave, at once there and fading. */
function strike(audio: AudioContext, note: { frequencyHz: number; at: number; length: number }, level: number): void {
  for (const [factor, share] of [
    [1, 0.75],
    [2, 0.25],
  ] as const) {
    const oscillator = audio.createOscillator()
    const gain = audio.createGain()
    oscillator.type = 'sine'
    oscillator.frequency.value = note.frequencyHz * factor
    gain.gain.setValueAtTime(0, note.at)
    gain.gain.linearRampToValueAtTime(level * share, note.at + 0.008)
    gain.gain.exponentialRampToValueAtTime(0.0001, note.at + note.length)
    oscillator.connect(gain).connect(audio.destination)
    oscillator.start(note.at)
    oscillator.stop(note.at + note.length + 0.02)
  }
}
