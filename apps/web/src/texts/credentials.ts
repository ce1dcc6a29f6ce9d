import { inLanguage } from './language.ts'

const en = {
  credentials: {
    pleaseFillInAllFields: 'Please fill in all fields',
    passwordsDoNotMatch: 'Passwords do not match',
    passwordMustBeAtLeast: ({ minLength }: { minLength: number }) =>
      `Password must be at least ${minLength} characters long`,
    pleaseEnterYourEmail: 'Please enter your email address',
    pleaseEnterYourPassword: 'Please enter your password',
    pleaseEnterYourName: 'Please enter your name',
  },
}

export const credentialsTexts = inLanguage({ en })
