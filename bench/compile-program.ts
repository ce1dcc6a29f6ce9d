import { execFileSync } from 'node:child_process'
import { basename, join } from 'node:path'

/** Compiles a C program of this folder, such as `fanout/floor`, and returns its path in `dir`. */
export function compileProgram(dir: string, name: string): string {
  const program = join(dir, basename(name))
  execFileSync('cc', ['-O2', '-o', program, join(import.meta.dirname, `${name}.c`)])
  return program
}
