// @vitest-environment happy-dom
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { guardedPaths } from '../features/account/auth-search-params.ts'
import { assetRoute, paths } from '../paths.ts'
import { router } from './router.tsx'

test('guardedPaths: has every route for signed-in users except the route of assets', () => {
  const signedIn = Object.values(router.routesById)
    .filter(({ parentRoute }) => parentRoute?.id === '/signed-in')
    .map(({ fullPath }) => fullPath)
  expect(signedIn).toContain(paths.dashboard)
  expect([...signedIn, paths.admin].sort()).toEqual([...guardedPaths, assetRoute].sort())
})

test('Guard: is used only by the layout of signed-in pages and the admin page', () => {
  const features = join(import.meta.dirname, '../features')
  const files = readdirSync(features, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.tsx') && !file.endsWith('.test.tsx'),
  )
  const users = files.filter((file) => /<Guard\b/.test(readFileSync(join(features, file), 'utf8')))
  expect(users.sort()).toEqual(['admin/admin-page.tsx', 'dashboard/signed-in-layout.tsx'])
})
