import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { findFreePort } from './free-port.ts'
import { assertPortFree, explainListenFailure } from './listen-failure.ts'

test('assertPortFree: rejects with the number of a port in use, and resolves when the port is free again', async () => {
  const otherServer = createServer()
  // Uses a reserved port: an ephemeral port could be taken by another process as soon as it is
  // free.
  const port = await findFreePort()
  await new Promise<void>((resolve) => otherServer.listen(port, '127.0.0.1', resolve))
  const listen = { host: '127.0.0.1', port }
  await expect(assertPortFree(listen)).rejects.toThrow(`Port ${port} of 127.0.0.1 is in use.`)
  await new Promise((resolve) => otherServer.close(resolve))
  await assertPortFree(listen)
  await assertPortFree(listen)
})

test.each([
  ['EACCES', 'Port 80 of 0.0.0.0 requires more privileges.'],
  ['EADDRNOTAVAIL', 'HOST 0.0.0.0 is not an address of this machine.'],
  ['EMFILE', 'too many open files'],
])('explainListenFailure: %s is reported as "%s"', (code, sentence) => {
  const error = Object.assign(new Error('too many open files'), { code })
  expect(() => explainListenFailure(error, { port: 80, host: '0.0.0.0' })).toThrow(sentence)
})
