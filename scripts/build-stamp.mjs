import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// This file is plain JavaScript, because `npm start` imports it before it has checked that the
// dependencies are installed.

export const root = fileURLToPath(new URL('..', import.meta.url))
export const stampFile = join(root, '.cache/build-stamp')

/** Files and folders on which the build depends, relative to `root`. */
export const inputs = [
  ...['package.json', 'package-lock.json', 'tsconfig.base.json'],
  ...['scripts/build.ts', 'scripts/prerender-pages.ts', 'scripts/bundle-budget.ts', 'scripts/build-stamp.mjs'],
  ...[
    'scripts/compress-files.ts',
    'scripts/operator-commands.ts',
    'scripts/server-bundle.ts',
    'scripts/write-service-worker.ts',
  ],
  ...['contracts/build.ts', 'contracts/package.json', 'contracts/src', 'packages/proof', 'packages/protocol'],
  ...['packages/client', 'packages/engine'],
  ...['apps/server/src', 'apps/server/package.json', 'apps/server/tsconfig.json'],
  ...['apps/engine/src', 'apps/engine/package.json'],
  ...['apps/demo/src', 'apps/demo/package.json'],
  ...['apps/verify/src', 'apps/verify/package.json'],
  ...['apps/web/src', 'apps/web/public', 'apps/web/index.html', 'apps/web/site.html', 'apps/web/embed.html'],
  ...['apps/web/vite.config.ts', 'apps/web/chunks.ts', 'apps/web/package.json'],
]
const outputs = [
  ...['contracts/abi.ts', 'contracts/bytecode.ts'],
  ...[
    'apps/demo/dist/main.js',
    'apps/server/dist/main.js',
    'apps/server/dist/tocsin.js',
    'apps/engine/dist/main.js',
    'apps/verify/dist/tocsin-verify.mjs',
    'apps/web/dist/index.html',
    'apps/web/dist/embed.html',
  ],
]

/** Returns the SHA-256 digest of all inputs of the build. */
export function digestInputs() {
  const digest = createHash('sha256')
  for (const input of inputs) addToDigest(digest, input)
  return digest.digest('hex')
}

/** Returns whether the last complete build used the current inputs and its outputs exist. */
export function isBuilt() {
  return (
    existsSync(stampFile) &&
    outputs.every((output) => existsSync(join(root, output))) &&
    readFileSync(stampFile, 'utf8') === digestInputs()
  )
}

function addToDigest(digest, path) {
  const full = join(root, path)
  if (!existsSync(full)) return
  if (statSync(full).isDirectory()) {
    for (const name of readdirSync(full).sort()) {
      if (name !== 'node_modules' && !name.includes('.test.')) addToDigest(digest, `${path}/${name}`)
    }
  } else {
    const content = readFileSync(full)
    digest.update(`${path}\0${content.length}\0`).update(content)
  }
}
