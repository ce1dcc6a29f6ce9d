import { shareTestDatabase } from '@tocsin/testkit'
import { PREPARED_DATA_DIR, startNewProduct } from './product.ts'

/**
 * Playwright global setup. Creating the database and the demo's month of signed and anchored
 * history takes longer than most tests, so it is done once and each test file starts a product on a
 * copy.
 * @returns the global teardown
 */
export default async function prepareData(): Promise<() => Promise<void>> {
  const [product, stopDatabase] = await Promise.all([startNewProduct(), shareTestDatabase()])
  await product.stop()
  process.env[PREPARED_DATA_DIR] = product.dataDir
  return async () => {
    await Promise.all([product.discard(), stopDatabase()])
  }
}
