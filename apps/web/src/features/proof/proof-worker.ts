import { serveTasks } from './serve-tasks.ts'

// The checks run in a worker because a worker script has its own content security policy: it allows
// connections to any chain node, while the policy of the page allows only connections to this site.
serveTasks()
