import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { useAuth } from './auth.tsx'

function ComponentWithoutProvider() {
  useAuth()
  return null
}

test('useAuth: throws when it is used outside of AuthProvider', () => {
  expect(() => renderToString(<ComponentWithoutProvider />)).toThrow('useAuth must be used within an AuthProvider')
})
