import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FrameBatch } from './frame-batch.ts'

const document = { hidden: false }
let frames: (() => void)[] = []
let applied: string[] = []
let batch: FrameBatch<string>

beforeEach(() => {
  document.hidden = false
  frames = []
  applied = []
  batch = new FrameBatch((items) => applied.push(items.join(' ')))
  vi.stubGlobal('document', document)
  vi.stubGlobal('requestAnimationFrame', (run: () => void) => frames.push(run))
  vi.stubGlobal('cancelAnimationFrame', (frame: number) => frames.splice(frame - 1, 1))
})
afterEach(() => {
  batch.flush()
  vi.unstubAllGlobals()
})

const drawFrame = () => {
  for (const run of frames.splice(0)) run()
}

test('FrameBatch: passes the items of a frame on together and in order, and later ones with the next frame', () => {
  batch.add('a')
  batch.add('b')
  expect(batch.waiting).toEqual(['a', 'b'])
  expect(applied).toEqual([])
  drawFrame()
  expect(applied).toEqual(['a b'])
  expect(batch.waiting).toEqual([])
  batch.add('c')
  drawFrame()
  expect(applied).toEqual(['a b', 'c'])
})

test('FrameBatch: passes items on immediately when it is flushed, and only once', () => {
  batch.add('a')
  batch.flush()
  expect(applied).toEqual(['a'])
  drawFrame()
  batch.flush()
  expect(applied).toEqual(['a'])
})

test('FrameBatch: passes each item on immediately when the tab is hidden', () => {
  document.hidden = true
  batch.add('a')
  batch.add('b')
  expect(applied).toEqual(['a', 'b'])
})

test('FrameBatch: passes waiting items on when the browser draws no more frames', async () => {
  batch.add('a')
  document.hidden = true
  await expect.poll(() => applied).toEqual(['a'])
})

test('FrameBatch: passes waiting items on before a new one when the tab was hidden after they arrived', () => {
  batch.add('a')
  document.hidden = true
  batch.add('b')
  expect(applied).toEqual(['a b'])
})
