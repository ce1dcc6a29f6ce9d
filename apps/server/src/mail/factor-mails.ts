import type { Mail } from '../context.ts'
import { composeMail, formatTime } from './compose.ts'

/** @param change `factor` is fixed text of the server: "Authenticator app", "Passkey" */
export function factorChangedMail(
  to: string,
  { change, factor, at }: { change: 'added' | 'removed'; factor: string; at: Date },
  publicUrl: string,
): Mail {
  const isAdded = change === 'added'
  return composeMail(to, isAdded ? 'Two-factor authentication was changed' : 'A second factor was removed', {
    preview: `${factor}, ${formatTime(at)}`,
    paragraphs: [
      isAdded
        ? 'A second factor or new recovery codes were added to your Tocsin account.'
        : 'A second factor was removed from your Tocsin account, and all other sessions were ended.',
    ],
    facts: [
      { label: 'Factor', value: factor },
      { label: 'Time', value: formatTime(at) },
    ],
    action: { label: 'Review your security settings', url: `${publicUrl}/settings` },
    note: 'If it was not you, your account may be compromised: contact us immediately.',
  })
}

export function recoveryCodeUsedMail(to: string, { left, at }: { left: number; at: Date }, publicUrl: string): Mail {
  return composeMail(to, 'A recovery code was used', {
    preview: `${left} recovery ${left === 1 ? 'code is' : 'codes are'} left.`,
    paragraphs: ['A recovery code was used in place of your second factor. It does not work again.'],
    facts: [
      { label: 'Time', value: formatTime(at) },
      { label: 'Codes left', value: String(left) },
    ],
    action: { label: 'Create new codes', url: `${publicUrl}/settings` },
    note: 'If it was not you, change your password, replace your recovery codes and contact us.',
  })
}

export function wrongCodesMail(to: string, at: Date, publicUrl: string): Mail {
  return composeMail(to, 'Wrong codes for your second factor', {
    preview: 'None of the codes was accepted.',
    paragraphs: [
      'Several wrong codes were entered for the second factor of your Tocsin account. None of them was accepted.',
      'Codes can be entered only after a sign-in or with a password reset link. Someone else may have your password or another sign-in method, or may read your email.',
    ],
    facts: [{ label: 'Time', value: formatTime(at) }],
    action: { label: 'Choose a new password', url: `${publicUrl}/auth?mode=forgot-password` },
    note: 'If you mistyped the codes yourself, no action is needed.',
  })
}

/** The email states no time of removal, because the delay starts when the email is sent. */
export function factorResetMail(to: string, url: string): Mail {
  return composeMail(to, 'Your second factors will be removed', {
    preview: '24 hours after we sent this email, unless you cancel it.',
    paragraphs: [
      'We were asked to remove the second factors of your Tocsin account, because they were lost.',
      'They will be removed 24 hours after we sent this email. If your account has several addresses, the first email counts.',
      'After that, your password or another sign-in method is enough to sign in. You can cancel it until then.',
    ],
    action: { label: 'Cancel the removal', url },
    note: 'If you did not ask for this, cancel it now and change your password.',
  })
}

export function factorResetCancelledMail(to: string, at: Date, publicUrl: string): Mail {
  return composeMail(to, 'Your second factors stay', {
    preview: 'Their removal was cancelled.',
    paragraphs: ['The removal of the second factors of your Tocsin account was cancelled.'],
    facts: [{ label: 'Time', value: formatTime(at) }],
    action: { label: 'Review your security settings', url: `${publicUrl}/settings` },
    note: 'If you have lost your second factors and did not cancel this yourself, contact us.',
  })
}

export function factorResetAppliedMail(to: string, at: Date, publicUrl: string): Mail {
  return composeMail(to, 'Your second factors were removed', {
    preview: 'Sign in and set up two-factor authentication again.',
    paragraphs: [
      'The second factors of your Tocsin account were removed, and all sessions were ended.',
      'Sign in and set up two-factor authentication again.',
    ],
    facts: [{ label: 'Time', value: formatTime(at) }],
    action: { label: 'Sign in', url: `${publicUrl}/auth` },
    note: 'If it was not you, contact us immediately.',
  })
}

/**
 * Sent to the owner and to the admins. Does not contain a name or an address: the address may be
 * the attacker's.
 */
export function takeoverMail(to: string, { accountId, at }: { accountId: string; at: Date }, publicUrl: string): Mail {
  return composeMail(to, 'An account may have been taken over', {
    preview: 'A second factor was removed and the email address changed within an hour.',
    paragraphs: [
      'A second factor of a Tocsin account was removed and its email address was changed within an hour. Owners rarely do both.',
    ],
    facts: [
      { label: 'Account', value: accountId },
      { label: 'Time', value: formatTime(at) },
    ],
    action: { label: 'Get help', url: `${publicUrl}/contact-support` },
    note: 'If this is your account and it was not you, contact us immediately.',
  })
}
