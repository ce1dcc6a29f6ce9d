import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createQueue } from './queue.ts'

let child: ChildProcess

beforeEach(() => {
  child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1_000)'])
})
afterEach(() => {
  child.kill()
})

describe('createQueue', () => {
  it('resolves concurrent calls of next() in call order with the pushed values', async () => {
    const { push, next } = createQueue<number>(child)
    const both = Promise.all([next(), next()])
    for (const value of [1, 2, 3]) push(value)
    expect(await both).toEqual([1, 2])
    expect(await next()).toBe(3)
  })

  it('rejects pending and later calls of next() when the process ends', async () => {
    const { next } = createQueue<number>(child)
    const waiting = expect(next()).rejects.toThrow('A measured process has ended with SIGTERM')
    child.kill()
    await waiting
    await expect(next()).rejects.toThrow('A measured process has ended with SIGTERM')
  })

  it('rejects calls of next() when the program does not exist', async () => {
    const { next } = createQueue<number>(spawn('/nonexistent'))
    await expect(next()).rejects.toThrow('spawn /nonexistent')
  })

  it('returns the remaining values from next() when the process has ended', async () => {
    const { push, next } = createQueue<number>(child)
    push(1)
    child.kill()
    await once(child, 'exit')
    expect(await next()).toBe(1)
  })
})
