import { shareTestDatabase } from '@tocsin/testkit'
import { PREPARED_DATA_DIR, startNewProduct } from './product.ts'

/**
 * Making a database with its tables, and the demo's month of signed and anchored history, takes the
 * processor longer than most journeys. So it is done once, and each product of the journeys starts
 * on a copy. What this answers is called when all have run.
 */
export default async function prepareData(): Promise<() => Promise<void>> {
  const [product, endDatabase] = await Promise.all([startNewProduct(), shareTestDatabase()])
  await product.stop()
  process.env[PREPARED_DATA_DIR] = product.dataDir
  return async () => {
    await Promise.all([product.discard(), endDatabase()])
  }
}
