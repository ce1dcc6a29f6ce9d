import { expect, test } from 'vitest'
import { askTogether } from './ask-together.ts'

const limits = { most: 3, pauseMs: 0 }

test('those who ask at once, or while a question is under way, share one, up to so many; each gets its own answer', async () => {
  const questions: number[][] = []
  let goOn = () => {}
  const gate = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const double = askTogether(limits, async (keys: number[]) => {
    questions.push(keys)
    if (questions.length === 1) await gate
    return keys.map((key) => key * 2)
  })
  const first = [double(1), double(2)]
  await expect.poll(() => questions.length).toBe(1)
  const later = [3, 4, 5, 6].map(double)
  goOn()
  expect(await Promise.all([...first, ...later])).toEqual([2, 4, 6, 8, 10, 12])
  expect(questions).toEqual([[1, 2], [3, 4, 5], [6]])
})

test('what was asked for after a question began is read after it, not from it', async () => {
  let truth = 'old'
  const read = askTogether(limits, async (keys: string[]) => {
    const seen = truth
    await null
    return keys.map(() => seen)
  })
  const before = read('a')
  await Promise.resolve()
  await Promise.resolve()
  truth = 'new'
  expect([await before, await read('b')]).toEqual(['old', 'new'])
})

test.each<[string, () => Promise<number[]>, RegExp]>([
  ['fails', async () => Promise.reject(new Error('No database')), /No database/],
  ['is answered in part', async () => [], /in part/],
])('a question that %s fails those who share it, and nobody else', async (_name, answer, reason) => {
  let asked = 0
  const ask = askTogether(limits, async (keys: number[]) => (asked++ === 0 ? answer() : keys))
  const outcomes = await Promise.allSettled([ask(1), ask(2)])
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { message: expect.stringMatching(reason) } })
  }
  expect(await ask(3)).toBe(3)
})
