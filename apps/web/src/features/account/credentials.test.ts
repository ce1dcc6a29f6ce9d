import { expect, test } from 'vitest'
import {
  checkPasswordRules,
  confirmForm,
  createNewPasswordForm,
  createResetPasswordForm,
  emailForm,
  firstAdminForm,
  logInForm,
  nameForm,
  resetMinLength,
  signUpForm,
} from './credentials.ts'

const signUp = { name: 'Mara', email: 'mara@example.com', password: 'correct horse', confirmPassword: 'correct horse' }
const logIn = { email: 'mara@example.com', password: 'x', rememberMe: false }

test.each([
  ['login without email', logInForm, { ...logIn, email: ' ' }, 'email', 'Please fill in all fields'],
  ['login without password', logInForm, { ...logIn, password: '' }, 'password', 'Please fill in all fields'],
  ['sign-up without name', signUpForm, { ...signUp, name: '' }, 'name', 'Please fill in all fields'],
  [
    'sign-up with different passwords',
    signUpForm,
    { ...signUp, confirmPassword: 'other one' },
    'confirmPassword',
    'Passwords do not match',
  ],
  [
    'sign-up with a short password',
    signUpForm,
    { ...signUp, password: '1234567', confirmPassword: '1234567' },
    'password',
    'Password must be at least 8 characters long',
  ],
  [
    'empty password reset',
    createResetPasswordForm(resetMinLength),
    { password: '', confirmPassword: '' },
    'password',
    'Please fill in all fields',
  ],
  ['confirmation without password', confirmForm, { password: '' }, 'password', 'Please enter your password'],
  ['name change without name', nameForm, { name: '  ' }, 'name', 'Please enter your name'],
  [
    'password reset request or email change without email',
    emailForm,
    { email: '' },
    'email',
    'Please enter your email address',
  ],
  [
    'password change without the current password',
    createNewPasswordForm(8),
    { currentPassword: '', password: 'correct horse', confirmPassword: 'correct horse' },
    'currentPassword',
    'Please fill in all fields',
  ],
  [
    'password change with a short password',
    createNewPasswordForm(8),
    { password: 'bell42', confirmPassword: 'bell42' },
    'password',
    'Password must be at least 8 characters long',
  ],
  [
    'password change of an admin with a short password',
    createNewPasswordForm(12),
    { password: 'elevenchars', confirmPassword: 'elevenchars' },
    'password',
    'Password must be at least 12 characters long',
  ],
  [
    'first admin with a short password',
    firstAdminForm,
    { ...signUp, password: 'elevenchars', confirmPassword: 'elevenchars' },
    'password',
    'Password must be at least 12 characters long',
  ],
  [
    'password reset with too few characters, counted in code points',
    createResetPasswordForm(resetMinLength),
    { password: '🔔🔔🔔', confirmPassword: '🔔🔔🔔' },
    'password',
    'Password must be at least 6 characters long',
  ],
])('form validation: rejects a %s', (_case, formSchema, values, path, message) => {
  const { error } = formSchema.safeParse(values)
  expect(error?.issues.map((issue) => [issue.path[0], issue.message])).toEqual([[path, message]])
})

test.each([
  ['login', logInForm, logIn],
  ['sign-up', signUpForm, signUp],
  ['password reset request', emailForm, { email: 'a@b.c' }],
  ['first password', createNewPasswordForm(8), { password: 'correct horse', confirmPassword: 'correct horse' }],
  ['password reset', createResetPasswordForm(resetMinLength), { password: 'bell42', confirmPassword: 'bell42' }],
])('form validation: accepts a complete %s', (_case, formSchema, values) =>
  expect(formSchema.safeParse(values).success).toBe(true),
)

test.each([
  ['', '', false, false],
  ['a bell', '', false, false],
  ['a bell', 'a bell', false, true],
  ['🔔🔔🔔🔔', '', false, false],
  ['a bell at', 'a bell', true, false],
  ['a bell at', 'a bell at', true, true],
])(
  'checkPasswordRules: checks the length of the password %j and whether the confirmation %j equals it',
  (password, confirmPassword, isLongEnough, isRepeated) => {
    expect(checkPasswordRules({ password, confirmPassword }, 8)).toEqual({ isLongEnough, isRepeated })
  },
)
