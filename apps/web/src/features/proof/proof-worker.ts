import { serveTasks } from './serve-tasks.ts'

// The checks run in a worker because a worker script has its own content security policy: it may
// connect to any chain node, while the page may connect only to this site.
serveTasks()
