import { receivePush } from './push.ts'
import { serveShell } from './shell.ts'
import type { WorkerScope } from './worker-scope.ts'

// The types of this file are those of a page.
const worker = self as unknown as WorkerScope
serveShell(worker)
receivePush(worker)
