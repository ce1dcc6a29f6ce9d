// @vitest-environment happy-dom
import { afterEach, expect, test, vi } from 'vitest'

afterEach(() => vi.unstubAllGlobals())

test('site: shows the verify command when the server answers with a page instead of JSON', async () => {
  vi.stubGlobal('fetch', async () => new Response('<title>Maintenance</title>'))
  document.body.innerHTML = '<div id="root" data-text><div data-pinned-command></div></div>'
  await import('./site.ts')
  await expect.poll(() => document.querySelector('[data-pinned-command]')?.textContent).toContain('verify')
})
