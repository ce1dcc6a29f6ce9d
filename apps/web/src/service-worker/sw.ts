import { serveShell } from './shell.ts'
import type { WorkerScope } from './worker-scope.ts'

// The types of this file are those of a page.
serveShell(self as unknown as WorkerScope)
