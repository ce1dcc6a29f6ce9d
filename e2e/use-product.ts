import { test } from '@playwright/test'
import { type Product, startProduct } from './product.ts'

/**
 * Starts the product before all tests of a file and discards it after them. Call it before the
 * file's own hooks. The returned object is empty until the hooks have run.
 */
export function useProduct(start: () => Promise<Product> = startProduct): Product {
  const product = {} as Product
  test.beforeAll(async () => {
    Object.assign(product, await start())
  })
  test.afterAll(() => product.discard?.())
  return product
}
