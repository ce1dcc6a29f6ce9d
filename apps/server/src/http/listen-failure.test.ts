import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { assertPortFree, explainListenFailure } from './listen-failure.ts'

test('a port that somebody listens on is named, and free again when they stop', async () => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const address = other.address()
  const port = address && typeof address === 'object' ? address.port : 0
  const listen = { host: '127.0.0.1', port }
  await expect(assertPortFree(listen)).rejects.toThrow(`Port ${port} of 127.0.0.1 is in use.`)
  await new Promise((resolve) => other.close(resolve))
  await assertPortFree(listen)
  await assertPortFree(listen)
})

test.each([
  ['EACCES', 'Port 80 of 0.0.0.0 may not be used by this user.'],
  ['EADDRNOTAVAIL', 'HOST 0.0.0.0 is no address of this machine.'],
  ['EMFILE', 'too many open files'],
])('%s is told as "%s"', (code, sentence) => {
  const error = Object.assign(new Error('too many open files'), { code })
  expect(() => explainListenFailure(error, { port: 80, host: '0.0.0.0' })).toThrow(sentence)
})
