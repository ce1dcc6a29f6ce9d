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

test('FrameBatch: delivers items added before a frame together and in order, and later items with the next frame', () => {
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

test('FrameBatch: delivers items immediately and only once when the batch is flushed', () => {
  batch.add('a')
  batch.flush()
  expect(applied).toEqual(['a'])
  drawFrame()
  batch.flush()
  expect(applied).toEqual(['a'])
})

test('FrameBatch: delivers each item immediately when the tab is hidden', () => {
  document.hidden = true
  batch.add('a')
  batch.add('b')
  expect(applied).toEqual(['a', 'b'])
})

test('FrameBatch: delivers waiting items when the tab becomes hidden and no more frames are drawn', async () => {
  batch.add('a')
  document.hidden = true
  await expect.poll(() => applied).toEqual(['a'])
})

test('FrameBatch: delivers waiting items together with a new item when the tab has become hidden', () => {
  batch.add('a')
  document.hidden = true
  batch.add('b')
  expect(applied).toEqual(['a b'])
})
