import { createServer } from 'node:net'

interface Listen {
  port: number
  host: string
}

/** @throws Error with a message for the operator if the port is in use or not permitted */
export async function assertPortFree({ port, host }: Listen): Promise<void> {
  const probe = createServer()
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject)
    probe.listen(port, host, resolve)
  }).catch((error) => explainListenFailure(error, { port, host }))
  await new Promise((resolve) => probe.close(resolve))
}

/** Translates a system error code into advice for the operator. */
export function explainListenFailure(error: NodeJS.ErrnoException, { port, host }: Listen): never {
  const describe = messages[error.code ?? '']
  if (describe === undefined) throw error
  throw new Error(describe(port, host), { cause: error })
}

const messages: Record<string, (port: number, host: string) => string> = {
  EADDRINUSE: (port, host) =>
    `Port ${port} of ${host} is in use. Stop the process that uses it, or set PORT to another port.`,
  EACCES: (port, host) => `Port ${port} of ${host} requires more privileges. Set PORT to one above 1023.`,
  EADDRNOTAVAIL: (_port, host) => `HOST ${host} is not an address of this machine. Set it to one, such as 127.0.0.1.`,
  ENOTFOUND: (_port, host) => `HOST ${host} is not an address of this machine. Set it to one, such as 127.0.0.1.`,
}
