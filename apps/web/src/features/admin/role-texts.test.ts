import { expect, test } from 'vitest'
import { formatAccountType } from './role-texts.ts'

test('formatAccountType: returns “Regular User” for the role user, and “Administrator” for staff roles', () => {
  const roles = ['user', 'admin', 'owner', 'support'] as const
  expect(roles.map(formatAccountType)).toEqual([
    'Regular User',
    'Administrator',
    'Administrator (owner)',
    'Administrator (support)',
  ])
})
