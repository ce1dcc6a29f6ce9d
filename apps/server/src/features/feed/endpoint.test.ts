import { describe, expect, it } from 'vitest'
import { createLookup } from './endpoint.ts'

function lookUp(addresses: string[], allowPrivate: boolean, all: boolean) {
  const resolve = async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  return new Promise((done, fail) =>
    createLookup(allowPrivate, resolve)('feed.example.com', { all }, (error, answer) =>
      error ? fail(error) : done(answer),
    ),
  )
}

describe('a resolved host name', () => {
  it.each([[['127.0.0.1']], [['1.1.1.1', '10.0.0.1']], [['1.1.1.1', '::1']], [['2606:4700::1', 'fd00::1']], [[]]])(
    'is rejected if it resolves to %j',
    async (addresses) => {
      for (const all of [true, false]) {
        await expect(lookUp(addresses, false, all)).rejects.toThrow('not at a public address')
      }
    },
  )

  it('connects to exactly the checked addresses', async () => {
    expect(await lookUp(['1.1.1.1', '2606:4700::1'], false, true)).toEqual([
      { address: '1.1.1.1', family: 4 },
      { address: '2606:4700::1', family: 6 },
    ])
    expect(await lookUp(['1.1.1.1'], false, false)).toBe('1.1.1.1')
    expect(await lookUp(['127.0.0.1'], true, false)).toBe('127.0.0.1')
  })

  it('is resolved again at each connect and rejected once it becomes private', async () => {
    const answers = ['1.1.1.1', '169.254.169.254']
    const lookup = createLookup(false, async () => [{ address: answers.shift() ?? '', family: 4 }])
    const once = () =>
      new Promise((done, fail) =>
        lookup('feed.example.com', {}, (error, answer) => (error ? fail(error) : done(answer))),
      )
    expect(await once()).toBe('1.1.1.1')
    await expect(once()).rejects.toThrow('not at a public address')
  })
})
