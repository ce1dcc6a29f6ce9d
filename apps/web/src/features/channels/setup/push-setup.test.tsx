import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { PushSetup } from './push-setup.tsx'

test.each([
  ['ready', ['Press Add and allow notifications', 'Send a code', 'after you log out'], 3],
  ['install', ['iOS 16.4', 'Open this page in Safari and tap Share', 'Add to Home Screen', 'Open Tocsin from'], 3],
  ['denied', ['This browser blocks notifications'], 0],
  ['unsupported', ['This browser does not support web push'], 0],
] as const)(
  'PushSetup: for the push support "%s", shows illustrated steps or the problem',
  (support, texts, pictures) => {
    const html = renderToStaticMarkup(<PushSetup support={support} />)
    for (const text of texts) expect(html).toContain(text)
    expect(html.match(/viewBox="0 0 168 84"/g) ?? []).toHaveLength(pictures)
  },
)
