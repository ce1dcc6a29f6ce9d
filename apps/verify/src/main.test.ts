import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const mainPath = fileURLToPath(new URL('./main.ts', import.meta.url))

/** Runs the command in a child process, like a shell. */
function runProcess(
  args: string[],
  input: string | Buffer,
): Promise<{ code: number | null; out: string; err: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--import', 'tsx', mainPath, ...args])
    let out = ''
    let err = ''
    child.stdout.on('data', (chunk) => {
      out += String(chunk)
    })
    child.stderr.on('data', (chunk) => {
      err += String(chunk)
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, out, err }))
    child.stdin.end(input)
  })
}

const cases: [args: string[], input: string | Buffer, code: number, out: RegExp, err: RegExp][] = [
  [
    ['--help'],
    '',
    0,
    /Exit codes[\s\S]*4 {2}cannot check now[\s\S]*5 {2}not verified[\s\S]*6 {2}time of issue[\s\S]*7 {2}time of outcome/,
    /^$/,
  ],
  [['--bogus'], '', 2, /^$/, /^tocsin-verify: Unknown option '--bogus'\.\nSee tocsin-verify --help\n$/],
  [['--bogus', '--json'], '', 2, /"verdict": "usage"/, /^$/],
  [['-'], '[]', 1, /^FAILED {2}The file is neither a proof bundle nor an alert nor a receipt\.\n$/, /^$/],
  [
    ['-'],
    Buffer.from([...Buffer.from('{"any":"'), 0xff, ...Buffer.from('"}')]),
    1,
    /^FAILED {2}The file is not UTF-8 text\.\n$/,
    /^$/,
  ],
  [['-'], '\ufeff{}', 1, /^FAILED {2}The file is not JSON\.\n$/, /^$/],
]
test.each(cases)(
  'tocsin-verify: returns the expected exit code and output for the arguments %j',
  async (args, input, code, out, err) => {
    const result = await runProcess(args, input)
    expect(result).toEqual({ code, out: expect.stringMatching(out), err: expect.stringMatching(err) })
  },
)
