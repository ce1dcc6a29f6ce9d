import { receivePush } from './push.ts'
import { serveShell } from './shell.ts'
import type { WorkerScope } from './worker-scope.ts'

// Cast: TypeScript checks this file with the types of a page.
const worker = self as unknown as WorkerScope
serveShell(worker)
receivePush(worker)
