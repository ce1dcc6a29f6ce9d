import { serveTasks } from './serve-tasks.ts'

// The checks run in a worker because its script has its own content security policy: it may connect
// to any chain node, the page only to this site.
serveTasks()
