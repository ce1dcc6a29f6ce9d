import { expect, test } from 'vitest'
import {
  confirmForm,
  createNewPasswordForm,
  createResetPasswordForm,
  emailForm,
  firstAdminForm,
  forgotPasswordForm,
  judgeNewPassword,
  logInForm,
  nameForm,
  resetMinLength,
  signUpForm,
} from './credentials.ts'

const signUp = { name: 'Mara', email: 'mara@example.com', password: 'correct horse', confirmPassword: 'correct horse' }
const logIn = { email: 'mara@example.com', password: 'x', rememberMe: false }

test.each([
  ['log in without email', logInForm, { ...logIn, email: ' ' }, 'email', 'Please fill in all fields'],
  ['log in without password', logInForm, { ...logIn, password: '' }, 'password', 'Please fill in all fields'],
  ['sign up without name', signUpForm, { ...signUp, name: '' }, 'name', 'Please fill in all fields'],
  ['mismatch', signUpForm, { ...signUp, confirmPassword: 'other one' }, 'confirmPassword', 'Passwords do not match'],
  [
    'short sign-up password',
    signUpForm,
    { ...signUp, password: '1234567', confirmPassword: '1234567' },
    'password',
    'Password must be at least 8 characters long',
  ],
  ['forgot without email', forgotPasswordForm, { email: '' }, 'email', 'Please enter your email address'],
  [
    'reset empty',
    createResetPasswordForm(resetMinLength),
    { password: '', confirmPassword: '' },
    'password',
    'Please fill in all fields',
  ],
  ['confirm without password', confirmForm, { password: '' }, 'password', 'Please enter your password'],
  ['no name', nameForm, { name: '  ' }, 'name', 'Please enter your name'],
  ['no new email', emailForm, { email: '' }, 'email', 'Please enter your email address'],
  [
    'change without the current password',
    createNewPasswordForm(8),
    { currentPassword: '', password: 'correct horse', confirmPassword: 'correct horse' },
    'currentPassword',
    'Please fill in all fields',
  ],
  [
    'short new password',
    createNewPasswordForm(8),
    { password: 'bell42', confirmPassword: 'bell42' },
    'password',
    'Password must be at least 8 characters long',
  ],
  [
    'short new password of an admin',
    createNewPasswordForm(12),
    { password: 'elevenchars', confirmPassword: 'elevenchars' },
    'password',
    'Password must be at least 12 characters long',
  ],
  [
    'short password of the first admin',
    firstAdminForm,
    { ...signUp, password: 'elevenchars', confirmPassword: 'elevenchars' },
    'password',
    'Password must be at least 12 characters long',
  ],
  [
    'short reset password, counted in characters',
    createResetPasswordForm(resetMinLength),
    { password: '🔔🔔🔔', confirmPassword: '🔔🔔🔔' },
    'password',
    'Password must be at least 6 characters long',
  ],
])('%s', (_case, form, values, path, message) => {
  const { error } = form.safeParse(values)
  expect(error?.issues.map((issue) => [issue.path[0], issue.message])).toEqual([[path, message]])
})

test.each([
  ['log in', logInForm, logIn],
  ['sign up', signUpForm, signUp],
  ['forgot', forgotPasswordForm, { email: 'a@b.c' }],
  ['first password', createNewPasswordForm(8), { password: 'correct horse', confirmPassword: 'correct horse' }],
  ['reset', createResetPasswordForm(resetMinLength), { password: 'bell42', confirmPassword: 'bell42' }],
])('%s is complete', (_case, form, values) => expect(form.safeParse(values).success).toBe(true))

test.each([
  ['', '', false, false],
  ['a bell', '', false, false],
  ['a bell', 'a bell', false, true],
  ['🔔🔔🔔🔔', '', false, false],
  ['a bell at', 'a bell', true, false],
  ['a bell at', 'a bell at', true, true],
])('judgeNewPassword %j %j', (password, confirmPassword, isLongEnough, isRepeated) => {
  expect(judgeNewPassword({ password, confirmPassword }, 8)).toEqual({ isLongEnough, isRepeated })
})
