import type { Mail } from '../context.ts'
import { type MailContent, renderMail } from './layout.ts'

// No mail repeats what a stranger has typed, not even a name: it would carry their words to somebody else.

function compose(to: string, subject: string, content: Omit<MailContent, 'heading'>): Mail {
  return { to, subject, ...renderMail({ heading: subject, ...content }) }
}

export function verifyEmailMail(to: string, url: string): Mail {
  return compose(to, 'Confirm your email address', {
    preview: 'One step and your Tocsin account is ready.',
    paragraphs: [
      'Somebody, hopefully you, signed up for Tocsin with this address.',
      'Confirm it to finish. The link works once, for 24 hours.',
    ],
    action: { label: 'Confirm address', url },
    note: 'If you did not sign up, ignore this mail: without the link the account cannot be used.',
  })
}

export function resetPasswordMail(to: string, url: string): Mail {
  return compose(to, 'Reset your password', {
    preview: 'Choose a new password for Tocsin.',
    paragraphs: [
      'Somebody, hopefully you, asked for a new password for the Tocsin account with this address.',
      'The link works once, for one hour. A new password signs you out everywhere.',
    ],
    action: { label: 'Choose a new password', url },
    note: 'If you did not ask for it, ignore this mail: your password stays as it is.',
  })
}

export function alreadyRegisteredMail(to: string, publicUrl: string): Mail {
  return compose(to, 'You already have an account', {
    preview: 'Somebody tried to sign up with your address.',
    paragraphs: [
      'Somebody tried to sign up for Tocsin with this address, but it already has an account. Nothing was changed.',
      'If it was you, sign in. If you have forgotten your password, you can choose a new one there.',
    ],
    action: { label: 'Sign in', url: `${publicUrl}/auth` },
    note: 'If it was not you, there is nothing to do: nobody has got into your account.',
  })
}

export function passwordChangedMail(to: string, publicUrl: string): Mail {
  return compose(to, 'Your password was changed', {
    preview: 'Your Tocsin password was changed a moment ago.',
    paragraphs: ['The password of your Tocsin account was changed, and every browser was signed out.'],
    action: { label: 'Sign in', url: `${publicUrl}/auth` },
    note: 'If it was not you, choose a new password at once with “Forgot password” on the sign-in page.',
  })
}
