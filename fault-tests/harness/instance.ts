import { runServer } from '@tocsin/server/run-server.ts'

/**
 * Runs the product as an operator does, with one addition: the harness can set the clock of this
 * process. As with a real clock, this does not affect `performance.now()`.
 */
const RealDate = Date
let aheadMs = 0
const readNowMs = () => RealDate.now() + aheadMs

globalThis.Date = new Proxy(RealDate, {
  construct: (target, constructorArgs: unknown[], newTarget) =>
    Reflect.construct(target, constructorArgs.length === 0 ? [readNowMs()] : constructorArgs, newTarget),
  apply: () => new RealDate(readNowMs()).toString(),
  get: (target, name) => (name === 'now' ? readNowMs : Reflect.get(target, name)),
})

process.on('message', (message: { aheadMs: number }) => {
  aheadMs = message.aheadMs
})
// Let the process end, although the harness can still send messages.
process.channel?.unref()
runServer(null)
