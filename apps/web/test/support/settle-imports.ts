import { afterAll, vi } from 'vitest'

/**
 * Waits for lazily loaded components at the end of each file. The next file of the worker uses the
 * same modules. If the end of a file interrupted an import, the component would fail there too.
 */
afterAll(() => vi.dynamicImportSettled())
