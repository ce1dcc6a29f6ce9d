import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import ts from 'typescript'
import { root } from '../build-stamp.mjs'
import { createTypePrinter } from './print-type.ts'

// Name each file as an entry, because TypeScript writes no declarations of packages that are
// reached only through node_modules.
const entries = ['client/src/index.ts', 'client/src/proof.ts', 'proof/src/index.ts'].map((path) =>
  join(root, 'packages', path),
)
const packages = join(root, 'packages')
/** File name of `@tocsin/protocol` in the declarations of the client. */
const PROTOCOL = 'protocol.d.ts'

/** Writes declarations to `outDir` that refer to no other package. */
export function writeTypes(outDir: string): void {
  const config = ts.readConfigFile(join(root, 'tsconfig.base.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root)
  const program = ts.createProgram(entries, {
    ...options,
    noEmit: false,
    incremental: false,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: packages,
    outDir,
  })
  const problems = ts.getPreEmitDiagnostics(program)
  if (problems.length > 0) throw new Error(ts.formatDiagnostics(problems, ts.createCompilerHost(options)))
  const protocolNames = new Set<string>()
  const writeDeclaration = (path: string, text: string) => {
    const relativePath = relative(outDir, path)
    if (relativePath.startsWith('protocol/')) return
    const pathToRoot = '../'.repeat(relativePath.split('/').length - 1)
    const ownText = text
      .replace(/import(?: type)? \{([^}]*)\} from '@tocsin\/protocol'/g, (importText, names: string) => {
        for (const name of names.split(',')) protocolNames.add(name.trim().replace(/^type /, ''))
        return importText
      })
      .replace(/from (["'])@tocsin\/protocol\1/g, `from '${pathToRoot}protocol.js'`)
      .replace(/from (["'])@tocsin\/proof\1/g, `from '${pathToRoot}proof/src/index.js'`)
      .replace(/from (["'])(\.[^"']*)\.ts\1/g, "from '$2.js'")
    const foreignModule = /from (["'])([^."'][^"']*)\1/.exec(ownText)?.[2]
    if (foreignModule) throw new Error(`${relativePath} refers to ${foreignModule}`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, ownText)
  }
  program.emit(undefined, writeDeclaration)
  writeFileSync(join(outDir, PROTOCOL), printProtocol(program, protocolNames))
}

/** Prints the protocol types that the client uses, with all referenced types written inline. */
function printProtocol(program: ts.Program, protocolNames: ReadonlySet<string>): string {
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(join(packages, 'protocol/src/index.ts'))
  const module = source && checker.getSymbolAtLocation(source)
  const printType = createTypePrinter(checker)
  const types = (module ? checker.getExportsOfModule(module) : [])
    .filter(({ name }) => protocolNames.has(name))
    .map((symbol) => {
      const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
      return `export type ${symbol.name} = ${printType(checker.getDeclaredTypeOfSymbol(target))};\n`
    })
  return types.join('\n')
}
