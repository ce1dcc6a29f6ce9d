export {}

// This timeout only ends tests that hang: docs/decisions/2026-11-22-tests-wait-for-states.md.
// Without a document, the library's `screen` would stay unusable in the later files of the worker.
if (typeof document !== 'undefined') {
  const { configure } = await import('@testing-library/react')
  configure({ asyncUtilTimeout: 120_000 })
}
