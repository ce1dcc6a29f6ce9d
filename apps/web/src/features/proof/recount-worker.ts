import { findPrimitives } from '@tocsin/proof/primitives'
import { serveTasks } from './serve-tasks.ts'

// Like the proof worker, for checks of thousands of signatures. A worker of its own, because the
// library is five times as large as the rest, and compiling it takes longer than one check.
serveTasks(findPrimitives)
