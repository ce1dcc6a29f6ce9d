import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { AlertActions } from './alert-actions.tsx'
import type { ReadablePage } from './alert-view.tsx'

test('AlertActions: shows from when on the copied link shows the content, if the alert is not public yet', () => {
  const renderWords = (access: ReadablePage['access']) => {
    // Cast: the actions read only these fields of the page.
    const page = { access, publicAt: '2026-11-23T13:58:02.000Z', bundle: { alert: { logIndex: 7 } } } as ReadablePage
    return renderToStaticMarkup(<AlertActions page={page} busy={false} onCheck={() => {}} />).replace(/<[^>]*>/g, '')
  }
  expect(renderWords('shared')).toContain('The copied link shows the content from 23 Nov 2026 13:58:02 UTC on.')
  expect(renderWords('public')).not.toContain('copied link')
})
