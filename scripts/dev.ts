import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createServer } from 'vite'
import { buildMissingContracts } from './build-missing-contracts.ts'
import { root } from './build-stamp.mjs'

// Serves the pages with hot reload on PORT and proxies other requests to the server, which runs
// from its sources on the next port and restarts when they change.
const port = Number(process.env.PORT ?? 3000)
const publicUrl = process.env.PUBLIC_URL ?? `http://localhost:${port}`
const target = `http://127.0.0.1:${port + 1}`
// Regular expressions, because Vite would match `/api` as a prefix, also of /api-reference.
const serverPaths = [
  '^/(api|feeds|alert-images)/',
  '^/a/\\d+/image\\.png',
  // The outbox is a page of the site.
  '^/dev/(?!outbox(\\?|$))',
  '^/(ws|healthz|readyz|metrics|openapi\\.json)(\\?|$)',
]

await buildMissingContracts()

const site = await createServer({
  root: join(root, 'apps/web'),
  server: {
    port,
    strictPort: true,
    proxy: Object.fromEntries(serverPaths.map((path) => [path, { target, ws: true }])),
  },
})
await site.listen()

const server = spawn(
  process.execPath,
  ['--watch', '--watch-preserve-output', '--import', 'tsx', join(root, 'apps/demo/src/main.ts')],
  { cwd: root, stdio: 'inherit', env: { ...process.env, PORT: String(port + 1), PUBLIC_URL: publicUrl } },
)
console.log(`Site with hot reload: ${publicUrl}`)

const stop = (): void => void server.kill('SIGTERM')
process.on('SIGINT', stop)
process.on('SIGTERM', stop)
server.once('exit', async (code) => {
  await site.close()
  process.exit(code ?? 0)
})
