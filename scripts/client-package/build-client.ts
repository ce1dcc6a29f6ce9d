import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { root } from '../build-stamp.mjs'
import { writeTypes } from './write-types.ts'

const source = join(root, 'packages/client')

/**
 * Builds the publishable package. It depends on no other package, because its files contain the
 * code of the private packages and of their dependencies.
 */
export async function buildClientPackage(outDir: string): Promise<void> {
  rmSync(outDir, { recursive: true, force: true })
  mkdirSync(outDir, { recursive: true })
  await build({
    absWorkingDir: root,
    entryPoints: { index: join(source, 'src/index.ts'), proof: join(source, 'src/proof.ts') },
    outdir: join(outDir, 'dist'),
    bundle: true,
    splitting: true,
    platform: 'neutral',
    mainFields: ['module', 'main'],
    target: 'es2022',
    format: 'esm',
    legalComments: 'eof',
    logLevel: 'warning',
  })
  writeTypes(join(outDir, 'types'))
  writeFileSync(join(outDir, 'package.json'), `${JSON.stringify(createManifest(), null, 2)}\n`)
  copyFileSync(join(source, 'README.md'), join(outDir, 'README.md'))
  copyFileSync(join(root, 'LICENSE'), join(outDir, 'LICENSE'))
}

function createManifest(): object {
  const { name, version, description, license } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'))
  const createExportEntry = (types: string, file: string) => ({
    types: `./types/client/src/${types}`,
    default: `./dist/${file}`,
  })
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    sideEffects: false,
    engines: { node: '>=20.19' },
    exports: {
      '.': createExportEntry('index.d.ts', 'index.js'),
      './proof': createExportEntry('proof.d.ts', 'proof.js'),
    },
    files: ['dist', 'types'],
  }
}
