import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { findFreePort } from '@tocsin/server/http/free-port.ts'

export interface UpdatedSite {
  /** Address of the site. Pass it to the product as PUBLIC_URL. */
  url: string
  /** Sets the server that requests are forwarded to. */
  connect(productUrl: string): void
  /** Serves the site as another build, and 404 for the scripts of all former builds. */
  update(): void
  close(): void
}

/** File names of the scripts and pages in the build. Styles and fonts keep their names. */
const assetNames = readdirSync(fileURLToPath(new URL('../apps/web/dist/assets', import.meta.url))).filter((name) =>
  /\.(js|html)$/.test(name),
)
const anyNamePattern = new RegExp(assetNames.map((name) => name.replaceAll('.', '\\.')).join('|'), 'g')
const textTypePattern = /^(text\/(html|javascript)|application\/javascript)/

/**
 * Starts a proxy that can serve the same site as if it had been rebuilt: each script has a new
 * name, and the pages and the service worker contain a new build id.
 */
export async function startUpdatedSite(): Promise<UpdatedSite> {
  let target = ''
  let build = 0
  const renameAsset = (name: string) => (build === 0 ? name : name.replace(/(\.\w+)$/, `.build${build}$1`))

  async function forwardRequest(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const path = incoming.url ?? '/'
    const name = path.startsWith('/assets/') ? path.slice('/assets/'.length) : null
    const original = assetNames.find((each) => renameAsset(each) === name)
    if (name !== null && /\.(js|html)$/.test(name) && original === undefined) {
      outgoing.writeHead(404).end()
      return
    }
    // The ETags of the product are the same for every simulated build, so a conditional request
    // would be answered with 304.
    const { 'if-none-match': _tag, 'if-modified-since': _time, ...otherHeaders } = incoming.headers
    const headers = { ...otherHeaders, 'accept-encoding': 'identity' }
    const forwardedRequest = request(target + (original ? `/assets/${original}` : path), {
      method: incoming.method,
      headers,
    })
    incoming.pipe(forwardedRequest)
    const [response] = (await once(forwardedRequest, 'response')) as [IncomingMessage]
    if ('tocsin-build' in response.headers && build > 0) response.headers['tocsin-build'] = `build${build}`
    if (!textTypePattern.test(response.headers['content-type'] ?? '')) {
      response.pipe(outgoing.writeHead(response.statusCode ?? 502, response.headers))
      return
    }
    const body = (await text(response)).replace(anyNamePattern, renameAsset)
    const { 'content-length': _length, ...responseHeaders } = response.headers
    outgoing.writeHead(response.statusCode ?? 502, responseHeaders).end(build === 0 ? body : nameBuild(body, build))
  }

  const port = await findFreePort()
  const server = createServer((incoming, outgoing) => {
    forwardRequest(incoming, outgoing).catch(() => outgoing.destroy())
  })
  server.listen(port, 'localhost')
  await once(server, 'listening')
  return {
    url: `http://localhost:${port}`,
    connect(productUrl) {
      target = productUrl
    },
    update() {
      build += 1
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Replaces the build id in the head of pages and in the file list of the service worker. */
function nameBuild(body: string, build: number): string {
  return body
    .replace(/(<meta name="tocsin-build" content=")\w+/, `$1build${build}`)
    .replace(/(\bbuild:")\w+(",page:")/, `$1build${build}$2`)
}
