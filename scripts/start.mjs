import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isBuilt, root } from './build-stamp.mjs'

// This file is plain JavaScript, so that it can report missing dependencies, and so that no
// TypeScript loader stays in the server's memory.

const OLDEST_NODE = [20, 19]
const PARENT_CHECK_MS = 1_000
const STOP_TIMEOUT_MS = 15_000

function exitWithMessage(message) {
  console.error(`\n${message}\n`)
  process.exit(1)
}

function checkMachine() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const [oldestMajor, oldestMinor] = OLDEST_NODE
  if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
    exitWithMessage(`Tocsin needs Node.js ${OLDEST_NODE.join('.')} or newer; this is ${process.versions.node}.`)
  }
  for (const name of ['tsx', 'esbuild', 'vite', 'fastify']) {
    if (!existsSync(join(root, 'node_modules', name)))
      exitWithMessage('The dependencies are not installed. Run "npm install" first.')
  }
}

/**
 * Stops the server when npm has ended. npm forwards Ctrl-C. If npm itself is killed, this process
 * gets no signal and would keep running in the background, so it watches its parent. Without npm,
 * for example under nohup, the end of the parent is ignored.
 */
function stopWhenNpmExits(stop) {
  if (process.env.npm_lifecycle_event === undefined) return
  const chain = [process.pid, process.ppid]
  const initialParents = chain.map(readParent)
  const timer = setInterval(() => {
    // Some shells stay alive between npm and this process. When npm ends, their parent changes.
    if (chain.every((pid, index) => readParent(pid) === initialParents[index])) return
    clearInterval(timer)
    stop()
  }, PARENT_CHECK_MS)
  timer.unref()
}

function readParent(pid) {
  if (pid === process.pid) return process.ppid
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    if (!/^\d+ \((sh|dash|bash|ash|busybox|zsh)\)/.test(stat)) return 0
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return 0
  }
}

async function build() {
  console.log('Building Tocsin (first start, or its sources have changed)')
  const child = spawn(process.execPath, ['--import', 'tsx', join(root, 'scripts/build.ts')], {
    cwd: root,
    stdio: 'inherit',
  })
  const stop = () => child.kill('SIGTERM')
  // Use `on`, not `once`: Ctrl-C sends two signals, one from the terminal and one through npm.
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  const code = await new Promise((resolve) => child.once('exit', (status) => resolve(status)))
  process.off('SIGTERM', stop)
  process.off('SIGINT', stop)
  if (code !== 0) exitWithMessage(code === null ? 'The build was stopped.' : 'The build failed. Its output is above.')
}

checkMachine()
stopWhenNpmExits(() => {
  process.kill(process.pid, 'SIGTERM')
  setTimeout(() => process.exit(1), STOP_TIMEOUT_MS).unref()
})
if (!isBuilt()) await build()
await import('../apps/demo/dist/main.js')
