import { formatCheckpoint, signNote } from '@tocsin/proof'
import { expect, it } from 'vitest'
import { findRewrite, parseSeenCheckpoint, readNote } from './seen-checkpoint.ts'

const seed = new Uint8Array(32).fill(7)
const createNote = (size: number, rootByte: number) =>
  signNote(formatCheckpoint({ origin: 'log.example', size, root: new Uint8Array(32).fill(rootByte) }), {
    name: 'log.example',
    seed,
  })

it.each([
  ['', null],
  ['\n\n', null],
  ['log.example\n7\nshort\n\n— x y\n', null],
  [createNote(7, 1), { origin: 'log.example', size: 7, root: `0x${'01'.repeat(32)}` }],
])('readNote: parses %j', (note, checkpoint) => {
  expect(readNote(note)).toEqual(checkpoint)
})

it.each([
  ['grew', createNote(7, 1), createNote(9, 2), null],
  ['did not change', createNote(7, 1), createNote(7, 1), null],
  ['shrank', createNote(1200, 1), createNote(7, 2), /had 1,200 entries when you last checked it, and has 7 now\./],
  ['forked', createNote(7, 1), createNote(7, 2), /At 7 entries, the log has another root/],
  ['has an invalid stored note', 'what', createNote(7, 1), null],
  ['has an invalid new note', createNote(7, 1), 'what', null],
])('findRewrite: decides whether the log was rewritten when it %s', (_, seenNote, currentNote, words) => {
  expect(findRewrite(seenNote, currentNote)).toEqual(words === null ? null : expect.stringMatching(words))
})

it.each([[null], ['text'], [{ note: 5, at: '2026-11-21T14:00:00.000Z' }], [{ note: 'x', at: 'today' }]])(
  'parseSeenCheckpoint: rejects %o',
  (value) => {
    expect(parseSeenCheckpoint(value)).toBeNull()
  },
)
