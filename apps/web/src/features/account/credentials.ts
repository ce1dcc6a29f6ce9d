import { z } from 'zod'

const missingFieldsMessage = 'Please fill in all fields'
const passwordMismatchMessage = 'Passwords do not match'
export const signUpMinLength = 8
export const resetMinLength = 6
export const adminMinLength = 12

/**
 * Adds an issue for the first empty field only, so that this field gets the focus. Returns true if
 * all fields are filled in.
 */
function requireAllFields(
  values: Record<string, unknown>,
  issues: z.core.$ZodRawIssue[],
  message = missingFieldsMessage,
): boolean {
  const empty = Object.entries(values).find(([, value]) => typeof value === 'string' && value.trim() === '')
  if (empty) issues.push({ code: 'custom', message, path: [empty[0]], input: values })
  return !empty
}

function checkNewPassword(
  { password, confirmPassword }: { password: string; confirmPassword: string },
  issues: z.core.$ZodRawIssue[],
  minLength: number,
): void {
  if (password !== confirmPassword) {
    issues.push({ code: 'custom', message: passwordMismatchMessage, path: ['confirmPassword'], input: confirmPassword })
    return
  }
  // Counts code points, so that an emoji counts as one character.
  if ([...password].length >= minLength) return
  const message = `Password must be at least ${minLength} characters long`
  issues.push({ code: 'custom', message, path: ['password'], input: password })
}

export const logInForm = z
  .object({ email: z.string(), password: z.string(), rememberMe: z.boolean() })
  .check(({ value, issues }) => void requireAllFields(value, issues))

export const adminForm = z
  .object({ email: z.string(), password: z.string() })
  .check(({ value, issues }) => void requireAllFields(value, issues))

const createSignUpForm = (minLength: number) =>
  z
    .object({ name: z.string(), email: z.string(), password: z.string(), confirmPassword: z.string() })
    .check(({ value, issues }) => {
      if (requireAllFields(value, issues)) checkNewPassword(value, issues, minLength)
    })

export const signUpForm = createSignUpForm(signUpMinLength)
export const firstAdminForm = createSignUpForm(adminMinLength)

export const createResetPasswordForm = (minLength: number) =>
  z.object({ password: z.string(), confirmPassword: z.string() }).check(({ value, issues }) => {
    if (requireAllFields(value, issues)) checkNewPassword(value, issues, minLength)
  })

export const confirmForm = z
  .object({ password: z.string() })
  .check(({ value, issues }) => void requireAllFields(value, issues, 'Please enter your password'))

export const nameForm = z
  .object({ name: z.string() })
  .check(({ value, issues }) => void requireAllFields(value, issues, 'Please enter your name'))

export const emailForm = z
  .object({ email: z.string() })
  .check(({ value, issues }) => void requireAllFields(value, issues, 'Please enter your email address'))

/**
 * Schema of a form for a new password. `currentPassword` must not be empty. It is undefined for
 * accounts without a password.
 */
export const createNewPasswordForm = (minLength: number) =>
  z
    .object({ currentPassword: z.string().optional(), password: z.string(), confirmPassword: z.string() })
    .check(({ value, issues }) => {
      if (requireAllFields(value, issues)) checkNewPassword(value, issues, minLength)
    })

/** Returns which rules the new password meets so far, for feedback while the user types. */
export function checkPasswordRules(
  { password, confirmPassword }: { password: string; confirmPassword: string },
  minLength: number,
) {
  return {
    isLongEnough: [...password].length >= minLength,
    isRepeated: password !== '' && password === confirmPassword,
  }
}

export type LogInForm = z.infer<typeof logInForm>
export type AdminForm = z.infer<typeof adminForm>
export type SignUpForm = z.infer<typeof signUpForm>
export type ResetPasswordForm = z.infer<ReturnType<typeof createResetPasswordForm>>
export type ConfirmForm = z.infer<typeof confirmForm>
export type NameForm = z.infer<typeof nameForm>
export type EmailForm = z.infer<typeof emailForm>
export type NewPasswordForm = z.infer<ReturnType<typeof createNewPasswordForm>>
