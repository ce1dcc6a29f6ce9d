import { tryLoadPrimitives } from '@tocsin/proof/primitives'
import { serveTasks } from './serve-tasks.ts'

// Runs the same tasks as the proof worker, with a library that verifies thousands of signatures
// quickly. This is a separate worker, because the library is five times as large as the rest of the
// worker, and compiling it takes longer than checking a single proof.
serveTasks(tryLoadPrimitives)
