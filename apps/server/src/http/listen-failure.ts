import { createServer } from 'node:net'

interface Listen {
  port: number
  host: string
}

/** @throws Error a sentence for the operator when another program has the port, or this user may not take it. */
export async function assertPortFree({ port, host }: Listen): Promise<void> {
  const probe = createServer()
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject)
    probe.listen(port, host, resolve)
  }).catch((error) => explainListenFailure(error, { port, host }))
  await new Promise((resolve) => probe.close(resolve))
}

/** Turns the system's error code into what the operator can do. */
export function explainListenFailure(error: NodeJS.ErrnoException, { port, host }: Listen): never {
  const what = sentences[error.code ?? '']
  if (what === undefined) throw error
  throw new Error(what(port, host), { cause: error })
}

const sentences: Record<string, (port: number, host: string) => string> = {
  EADDRINUSE: (port, host) => `Port ${port} of ${host} is in use. Stop what uses it, or set PORT to another one.`,
  EACCES: (port, host) => `Port ${port} of ${host} may not be used by this user. Set PORT to one above 1023.`,
  EADDRNOTAVAIL: (_port, host) =>
    `HOST ${host} is no address of this machine. Set it to one that is, such as 127.0.0.1.`,
  ENOTFOUND: (_port, host) => `HOST ${host} is no address of this machine. Set it to one that is, such as 127.0.0.1.`,
}
