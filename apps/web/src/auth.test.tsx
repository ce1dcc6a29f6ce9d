import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { useAuth } from './auth.tsx'

function Stray() {
  useAuth()
  return null
}

test('the auth facility says that it is used outside its provider', () => {
  expect(() => renderToString(<Stray />)).toThrow('useAuth must be used within an AuthProvider')
})
