import { dlopen, FFIType, ptr } from 'bun:ffi'
import { gc, serve } from 'bun'
import { alertText, host, live, obeyLines, port } from '../control.mjs'

const CLOCK_MONOTONIC = 1
const { clock_gettime } = dlopen('libc.so.6', {
  clock_gettime: { args: [FFIType.i32, FFIType.ptr], returns: FFIType.i32 },
}).symbols
const time = new BigInt64Array(2)

/** Reads CLOCK_MONOTONIC like the other programs, because Bun's clock starts with its process. */
function now() {
  clock_gettime(CLOCK_MONOTONIC, ptr(time))
  return time[0] * 1_000_000_000n + time[1]
}

const server = serve({
  hostname: host,
  port,
  fetch(request, server) {
    return server.upgrade(request) ? undefined : new Response(null, { status: 400 })
  },
  websocket: {
    perMessageDeflate: false,
    open: (client) => client.subscribe('alerts'),
    message: (client) => client.send(live),
  },
})
obeyLines(() => server.publish('alerts', alertText), { now, collect: () => gc(true) })
